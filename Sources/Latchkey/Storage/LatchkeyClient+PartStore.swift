package import LatchkeyCore

extension LatchkeyClient {
    /// Creates the platform's store for a part of an app that has its own login.
    ///
    /// - Parameters:
    ///   - part: The name of the part, such as `business`, which separates its record from the app's record.
    ///   - app: The app's id, without control characters or `#`.
    ///   - server: The URL of the identity server.
    /// - Returns: A store whose record cannot collide with that of any app id.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `invalidInput` if the URL or the app id is
    ///   invalid or the platform has no store, and `storageFailed` if the environment names no folder for the
    ///   store.
    package static func store(
        ofPart part: String,
        app: String,
        server: String
    ) throws(LatchkeyError) -> any SessionStore {
        let address = try WebAddress(server: server)
        return try Platform.store(
            server: address.base,
            app: AppID(app).record(ofPart: part),
            choice: .automatic
        )
    }
}
