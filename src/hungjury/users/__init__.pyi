from hungjury.users.classes import Dynamic as Dynamic
from hungjury.users.classes import UserClass as UserClass
from hungjury.users.classes import fit_dynamic as fit_dynamic
from hungjury.users.model import LogReport as LogReport
from hungjury.users.model import UserModel as UserModel
from hungjury.users.model import published_shape as published_shape
from hungjury.users.model import user_model as user_model
