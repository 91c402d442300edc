"""Separation on graphs: judged by the definition, by enumeration and by the book."""
