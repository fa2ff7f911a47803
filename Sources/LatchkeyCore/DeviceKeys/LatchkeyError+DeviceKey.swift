/// The conversion of the errors of device keys.
extension LatchkeyError {
    /// Creates the error for a failure of the device's key.
    init(key error: DeviceKeyError) {
        self.init(.deviceKeyFailed, message: error.message, cause: error)
    }
}
