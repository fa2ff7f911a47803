// Only on Linux is the core of Foundation a module of its own.
import FoundationEssentials  // fault: no such module 'FoundationEssentials'
