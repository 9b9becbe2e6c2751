"""The measures as classes: ``hj.m.nDCG(cutoff=10)`` is ``nDCG@10``."""

from hungjury.catalogue.average_precision import *
from hungjury.catalogue.early import *
from hungjury.catalogue.expectation import *
from hungjury.catalogue.expected import *
from hungjury.catalogue.gain import *
from hungjury.catalogue.graded_ap import *
from hungjury.catalogue.incomplete import *
from hungjury.catalogue.incomplete import Judgedness as Judged
from hungjury.catalogue.markov import *
from hungjury.catalogue.precision import *
from hungjury.catalogue.sets import *
from hungjury.catalogue.stopping import *
from hungjury.catalogue.user_gain import *
