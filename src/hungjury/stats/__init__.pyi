from hungjury.stats.correlation import kendall as kendall
from hungjury.stats.correlation import rmse as rmse
from hungjury.stats.correlation import tau_ap as tau_ap
from hungjury.stats.overlap import rbo as rbo
