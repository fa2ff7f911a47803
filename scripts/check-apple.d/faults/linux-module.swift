// The C library of Linux.
import Glibc  // fault: Glibc
