// A system call of Linux.
import Darwin

func count() -> Int32 {
    get_nprocs()  // fault: cannot find 'get_nprocs' in scope
}
