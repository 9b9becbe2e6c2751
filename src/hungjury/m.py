"""The measures as classes: ``hj.m.nDCG(cutoff=10)`` is ``nDCG@10``."""

from hungjury.measures.catalogue.average_precision import *
from hungjury.measures.catalogue.cwl import *
from hungjury.measures.catalogue.gain import *
from hungjury.measures.catalogue.precision import *
from hungjury.measures.catalogue.probabilities import *
from hungjury.measures.catalogue.sets import *
from hungjury.measures.catalogue.sets import Judgedness as Judged
from hungjury.measures.catalogue.user_models import *
