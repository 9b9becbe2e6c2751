from hungjury.theory.axioms import check_axioms as check_axioms
from hungjury.theory.balancing import balancing_index as balancing_index
from hungjury.theory.catalogue_table import axiom_table as axiom_table
from hungjury.theory.ordering import compare_lists as compare_lists
