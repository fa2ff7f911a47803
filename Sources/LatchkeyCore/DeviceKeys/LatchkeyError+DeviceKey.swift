/// The conversion of device key errors.
extension LatchkeyError {
    /// Creates the error for a device key failure.
    init(key error: DeviceKeyError) {
        self.init(.deviceKeyFailed, message: error.message, cause: error)
    }
}
