"""The command line: one thin function a verb, each calling the library.

Results go to stdout, progress to stderr. Exit status: 0 fine, 1 a check failed, 2 wrong usage.
"""

import click

from pgm_rnn.cli.experiments import experiment
from pgm_rnn.cli.fitting import fit, infill, sample
from pgm_rnn.cli.page import page
from pgm_rnn.cli.pictures import draw, figures
from pgm_rnn.cli.questions import check, independence
from pgm_rnn.cli.second_opinion import verify


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="pgm-rnn")
def main() -> None:
    """The graphical model that a Pyro program really is.

    \b
    Start here:
      pgm-rnn draw 10.8 --out fig.svg      a figure of the Deep Learning book, from its program
      pgm-rnn draw my_model.py:model       the graph of your own program
      pgm-rnn check my_model.py:model --reference 10.8
      pgm-rnn fit 10.8 --data names.txt    then: pgm-rnn sample run
      pgm-rnn experiment list              the section's claims, measured
      pgm-rnn page -o page.html            the lesson, interactive; or of your own program
    """


for _verb in (figures, draw, check, independence, verify, fit, sample, infill, experiment, page):
    main.add_command(_verb)
