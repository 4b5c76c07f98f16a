# SPDX-License-Identifier: BSD-3-Clause
"""Tables of a profile: read(path) is {"/Steps/0/Nodes/n1/Energy": rows}."""
import h5py


def read(path):
    tables = {}
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: tables.update({"/" + name: item[:]}) if isinstance(item, h5py.Dataset) else None)
    return tables


def notes(path, group):
    with h5py.File(path, "r") as file:
        return {name: value[0] for name, value in file[group].attrs.items()}
