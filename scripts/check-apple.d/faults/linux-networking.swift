// Only on Linux is `URLSession` in a module of its own.
import FoundationNetworking  // fault: no such module 'FoundationNetworking'
