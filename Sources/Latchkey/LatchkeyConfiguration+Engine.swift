import LatchkeyCore
import LatchkeyModel
import LatchkeyWire

extension LatchkeyConfiguration {
    /// The parts of a configuration that have been validated.
    private struct Validated {
        let server: WebAddress
        let app: AppID
        let basePath: BasePath
        let origins: APIOrigins
        let languages: LanguagePreferences
    }

    /// Returns the engine for clients with this configuration, which is created if necessary.
    ///
    /// - Throws: ``LatchkeyError`` if a value is invalid, or if the platform's store or transport can't be created.
    func engine() throws(LatchkeyError) -> SharedEngine {
        let validated = try validated()
        return try SharedEngine.engine(for: hasOwnParts ? nil : key(validated)) {
            () throws(LatchkeyError) -> Engine in
            Engine(
                server: validated.server,
                basePath: validated.basePath,
                origins: validated.origins,
                headers: ClientHeaders(app: validated.app.text, languages: validated.languages),
                credential: credential,
                revokesSessions: revokesSessions,
                client: client,
                parts: try parts(validated)
            )
        }
    }

    private func validated() throws(LatchkeyError) -> Validated {
        let address = try WebAddress(server: server)
        let app = try AppID(app)
        guard let path = BasePath(basePath) else {
            throw LatchkeyError(
                .invalidInput,
                message: "The base path must be empty, or start but not end with a slash, such as /a."
            )
        }
        let preferences =
            if let languages { try LanguagePreferences(languages) } else { Platform.languages() }
        return Validated(
            server: address,
            app: app,
            basePath: path,
            origins: try APIOrigins(server: address, adding: apiOrigins),
            languages: preferences
        )
    }

    /// Whether the app provides a part itself, so that clients can't share an engine.
    private var hasOwnParts: Bool {
        store != nil || deviceKeys != nil || transport != nil || recorder != nil || logger != nil
            || !(time is SystemTime) || !(random is SystemRandom)
    }

    private func key(_ validated: Validated) -> SharedEngine.Key {
        SharedEngine.Key(
            server: validated.server.base,
            basePath: validated.basePath,
            origins: apiOrigins,
            app: validated.app.text,
            slot: slot,
            storage: storage,
            credential: credential,
            revokesSessions: revokesSessions,
            client: client,
            proxy: proxy,
            languages: validated.languages.tags
        )
    }

    private func parts(_ validated: Validated) throws(LatchkeyError) -> EngineParts {
        let record = try validated.app.record(of: slot)
        let carrier = if let transport { transport } else { try Platform.transport(proxy: proxy) }
        let keys = if let deviceKeys { deviceKeys } else { try Platform.deviceKeys() }
        let keeper =
            if let store { store } else {
                try Platform.store(server: validated.server.base, app: record, choice: storage)
            }
        return EngineParts(
            store: keeper,
            deviceKeys: keys,
            transport: recorder.map {
                RecordingTransport(carrier, server: validated.server.origin, recorder: $0)
            } ?? carrier,
            time: time,
            random: random,
            logger: logger,
            signatures: Platform.signatures()
        )
    }
}
