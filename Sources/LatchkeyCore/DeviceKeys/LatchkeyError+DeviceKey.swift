/// Converts device key errors.
extension LatchkeyError {
    /// Creates the error that is thrown when an operation on the device key fails.
    init(key error: DeviceKeyError) {
        self.init(.deviceKeyFailed, message: error.message, cause: error)
    }
}
