/// Converts device key errors.
extension LatchkeyError {
    /// Creates the error that is thrown when an operation on the device key fails.
    ///
    /// A key that cannot be used at the moment may be usable later. The session doesn't end because of a lost
    /// key: only the server ends it.
    init(key error: DeviceKeyError) {
        self.init(
            .deviceKeyFailed,
            message: error.message,
            retry: error.code == .unavailable ? .later : .never,
            cause: error
        )
    }
}
