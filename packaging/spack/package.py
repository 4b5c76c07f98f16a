# SPDX-License-Identifier: BSD-3-Clause
"""Recipe for Spack. Put it into a repository of your own (spack repo create), as packages/wattle/package.py, and run
"spack dev-build wattle@main" in a checkout of wattle."""

from spack.package import *

try:  # Spack 1.0 and newer
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass


class Wattle(CMakePackage):
    """Measures the energy of commands on Linux and HPC machines."""

    version("main")

    variant("sim", default=False, description="wattle-sim, the simulated node")

    generator("ninja")

    depends_on("cmake@3.20:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("zstd")
    depends_on("zlib-api")
    depends_on("jansson")
    depends_on("ncurses")
    depends_on("libfuse@3:", when="+sim")

    def cmake_args(self):
        # The page of "wattle report" is bundled by npm, if there is one and it reaches its registry.
        return [
            self.define("WATTLE_SIM", "on" if self.spec.satisfies("+sim") else "off"),
            self.define("WATTLE_TESTS", "off"),
            self.define("WATTLE_BENCH", "off"),
            self.define("WATTLE_EXAMPLES", "off"),
        ]
