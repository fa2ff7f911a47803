/// Converts device key errors.
extension LatchkeyError {
    /// Creates the error for a failed device key operation.
    init(key error: DeviceKeyError) {
        self.init(.deviceKeyFailed, message: error.message, cause: error)
    }
}
