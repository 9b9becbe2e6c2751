from hungjury.users.dynamics import Dynamic as Dynamic
from hungjury.users.dynamics import fit_dynamic as fit_dynamic
from hungjury.users.model import LogReport as LogReport
from hungjury.users.model import UserModel as UserModel
from hungjury.users.model import published_shape as published_shape
from hungjury.users.model import user_model as user_model
from hungjury.users.user_class import UserClass as UserClass
