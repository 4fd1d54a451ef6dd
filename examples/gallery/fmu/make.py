"""Makes the FMU decay.fmu for Linux: python3 make.py FILE. It stands for the FMU that you own. It needs a C compiler."""

import os
import subprocess
import sys
import tempfile
import zipfile

here = os.path.dirname(os.path.abspath(__file__))
with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(sys.argv[1], "w") as fmu:
    library = os.path.join(folder, "decay.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, os.path.join(here, "decay.c"), "-lm"], check=True)
    fmu.write(os.path.join(here, "modelDescription.xml"), "modelDescription.xml")
    fmu.write(library, "binaries/linux64/decay.so")
