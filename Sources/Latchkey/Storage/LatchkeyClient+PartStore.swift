package import LatchkeyCore

extension LatchkeyClient {
    /// Creates the platform's store for a part of an app whose login is separate from that of the app.
    ///
    /// - Parameters:
    ///   - part: The name of the part.
    ///   - app: The app's id.
    ///   - server: The identity server's address.
    /// - Returns: A store whose record belongs to no app id.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `invalidInput` for an address or an app id that cannot be
    ///   right, or when the platform has no store.
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
