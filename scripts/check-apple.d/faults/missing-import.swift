// A member of a module that the file does not import.
import LatchkeyModel

func code(of error: any Error) -> Bool {
    error is LatchkeyError  // fault: cannot find type 'LatchkeyError' in scope
}
