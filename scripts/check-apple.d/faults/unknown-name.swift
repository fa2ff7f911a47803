// A misspelled name.
import LatchkeyModel

func now() -> Timestamp {
    SystemTime().noww  // fault: has no member 'noww'
}
