import Latchkey
import LatchkeyCore
import LatchkeyWire

/// Lists and revokes the user's sessions on other devices.
struct SessionsCommand: Subcommand {
    let syntax = Syntax(
        name: "sessions",
        summary: "list or revoke the user's sessions on other devices",
        details: [
            "Lists the sessions of the logged-in user on other devices, one per line. latchkey logout ends the session on this device."
        ],
        options: [
            Option("revoke", value: "ID", help: "Revoke one of the sessions."),
            Option("revoke-others", help: "Revoke all sessions on other devices."),
        ] + ClientOptions.all,
        examples: [
            ("sessions", "List the sessions on other devices"),
            ("sessions --revoke 9a8cbfb3-87bd-4087-b48d-2569b1b43386", "Log out a lost device"),
            ("sessions --revoke-others", "Log out all other devices"),
        ]
    )

    /// Lists or revokes the user's other sessions.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if both flags are given, or `refused` if the user
    ///   isn't logged in. For other errors, the code depends on the client's error.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        guard arguments["revoke"] == nil || !arguments.has("revoke-others") else {
            throw CommandFailure(.usage, message: "--revoke and --revoke-others cannot be used together")
        }
        let account = try ClientOptions.makeClient(from: arguments, console: console).account
        if let id = arguments["revoke"] {
            try await console.attempt("Revoking the session") { () async throws(LatchkeyError) in
                try await account.revokeSession(id)
            }
            return console.write(.object(["revoked": 1]), asJSON: arguments.has("json")) { _ in ["Revoked."] }
        }
        if arguments.has("revoke-others") {
            let count = try await console.attempt("Revoking the sessions") {
                () async throws(LatchkeyError) in
                try await account.revokeOtherSessions()
            }
            let result = JSONValue.object(["revoked": .integer(Int64(count))])
            return console.write(result, asJSON: arguments.has("json")) { _ in
                [count == 1 ? "Revoked 1 session." : "Revoked \(count) sessions."]
            }
        }
        let sessions = try await console.attempt("Asking the server") { () async throws(LatchkeyError) in
            try await account.otherSessions()
        }
        for session in sessions {
            console.write(Self.json(for: session), asJSON: arguments.has("json")) { _ in
                [Self.line(for: session)]
            }
        }
    }

    /// Formats a session as a single line with its ID, the login time, the network address and the app.
    private static func line(for session: DeviceSession) -> String {
        [
            session.id, session.authenticatedAt.map { "since \(Timestamp($0))" }, session.networkAddress,
            session.userAgent,
        ].compactMap { $0 }.joined(separator: "  ")
    }

    /// Formats a session as JSON.
    ///
    /// Unknown members are left out.
    private static func json(for session: DeviceSession) -> JSONValue {
        var members: [String: JSONValue] = ["id": .string(session.id)]
        members["authenticated_at"] = session.authenticatedAt.map { .string(Timestamp($0).description) }
        members["expires_at"] = session.expiresAt.map { .string(Timestamp($0).description) }
        members["ip_address"] = session.networkAddress.map { .string($0) }
        members["user_agent"] = session.userAgent.map { .string($0) }
        members["location"] = session.location.map { .string($0) }
        return .object(members)
    }
}
