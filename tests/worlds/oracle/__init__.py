# SPDX-License-Identifier: BSD-3-Clause
"""The truth behind the situations, computed from the documentation alone."""
