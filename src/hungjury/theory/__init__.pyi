from hungjury.theory.axioms import AxiomReport as AxiomReport
from hungjury.theory.axioms import check_axioms as check_axioms
from hungjury.theory.balancing import balancing_index as balancing_index
from hungjury.theory.ordering import ListComparison as ListComparison
from hungjury.theory.ordering import compare_lists as compare_lists
from hungjury.theory.verdicts import AxiomTable as AxiomTable
from hungjury.theory.verdicts import axiom_table as axiom_table
