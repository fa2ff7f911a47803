// A module of the package that exists only on Linux.
import LatchkeyCurl  // fault: no such module 'LatchkeyCurl'
