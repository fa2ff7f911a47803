package import LatchkeyCore

extension LatchkeyClient {
    /// Creates the platform's store for a part of an app that has a login of its own.
    ///
    /// - Parameters:
    ///   - part: The name of the part, such as `business`; separates its record from that of the app.
    ///   - app: The id of the app, without control characters and `#`.
    ///   - server: The URL of the identity server.
    /// - Returns: A store whose record cannot collide with that of any app id.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `invalidInput` for an invalid URL or app id or
    ///   on a platform without a store, and `storageFailed` when the environment names no folder for it.
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
