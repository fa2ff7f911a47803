package import LatchkeyCore

extension LatchkeyClient {
    /// Creates the platform's store for a part of an app that has its own login.
    ///
    /// - Parameters:
    ///   - part: The name of the part, such as `business`. The name keeps the part's record separate from the
    ///     app's record.
    ///   - app: The app's id, without control characters or `#`.
    ///   - server: The URL of the identity server.
    /// - Returns: A store with a record name that can't be the id of an app.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `invalidInput` if the URL or the app id is
    ///   invalid or if the platform has no store, or `storageFailed` if the environment doesn't specify a
    ///   folder for the store.
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
