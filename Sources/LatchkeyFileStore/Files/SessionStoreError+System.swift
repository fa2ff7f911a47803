import LatchkeyCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension SessionStoreError {
    /// What the operating system gives as its reason; to be made before anything else can change `errno`.
    static func system(_ operation: String, _ name: String) -> SessionStoreError {
        let reason = errno
        return Self(.failed, "Cannot \(operation) \(name): \(String(cString: strerror(reason))).")
    }
}
