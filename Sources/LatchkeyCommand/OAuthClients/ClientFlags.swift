import LatchkeyAdmin
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Flags for the metadata of OAuth clients, and files for everything that has no flag.
enum ClientFlags {
    /// The flags of the members, in the order that help texts list them.
    static let all = [
        Option("name", value: "TEXT", help: "The name that pages show to users."),
        Option("redirect-uris", value: "LIST", help: "The redirect URIs, separated by commas."),
        Option("scope", value: "LIST", help: "The scopes that the client may request, separated by commas."),
        Option("grant-types", value: "LIST", help: "The grant types, separated by commas."),
        Option(
            "auth-method",
            value: "METHOD",
            help: "client_secret_basic (the default), client_secret_post or none."
        ),
        Option("skip-consent", value: "true|false", help: "Whether users aren't asked for consent."),
        Option("first-party", value: "true|false", help: "Whether the client belongs to the operator."),
        Option(
            "app-to-app",
            value: "true|false",
            help: "Whether another app can approve the client's requests."
        ),
        Option(
            "native-session",
            value: "true|false",
            help: "Whether a first-party app gets sessions for its grants."
        ),
        Option(
            "allow-short-scheme",
            help: "Allow schemes without a dot, which other apps can also choose."
        ),
        Option(
            "file",
            value: "FILE",
            help: "A JSON object with any members, or - for standard input."
        ),
        secretFile,
    ]

    static let secretFile = Option(
        "secret-file",
        value: "FILE",
        help: "Use the secret in the first line of a file, or - for standard input."
    )

    /// Returns the members of a client that the flags set.
    ///
    /// Flags override the members of `--file`.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if a value is invalid, or `storage` if a file can't
    ///   be read.
    static func members(_ arguments: Arguments) async throws(CommandFailure) -> [String: JSONValue] {
        if arguments["file"] == "-", arguments["secret-file"] == "-" {
            throw CommandFailure(.usage, message: "only one of --file and --secret-file can be -")
        }
        var members: [String: JSONValue] = [:]
        if let path = arguments["file"] { members = try await object(in: path) }
        if let name = arguments["name"] { members["client_name"] = .string(name) }
        if let scope = arguments["scope"] {
            members["scope"] = .string(scope.split(separator: ",").joined(separator: " "))
        }
        for (flag, member) in [("redirect-uris", "redirect_uris"), ("grant-types", "grant_types")] {
            guard let list = arguments[flag] else { continue }
            members[member] = .array(list.split(separator: ",").map { .string(String($0)) })
        }
        if let method = arguments["auth-method"] { members["token_endpoint_auth_method"] = .string(method) }
        if let skips = try bool("skip-consent", in: arguments) { members["skip_consent"] = .bool(skips) }
        var own = members["latchkey"]?.objectMembers ?? [:]
        if let isOwn = try bool("first-party", in: arguments) { own["first_party"] = .bool(isOwn) }
        if let approves = try bool("app-to-app", in: arguments) { own["app_to_app"] = .bool(approves) }
        if let opens = try bool("native-session", in: arguments) { own["native_session"] = .bool(opens) }
        if arguments.has("allow-short-scheme") { own["allow_short_scheme"] = .bool(true) }
        if !own.isEmpty { members["latchkey"] = .object(own) }
        if let secret = try await secret(arguments) { members["client_secret"] = .string(secret.exposed) }
        return members
    }

    /// Returns the secret in the file that `--secret-file` names, or `nil` if the flag wasn't given.
    ///
    /// A secret is never an argument, because other users can see the arguments of a process.
    static func secret(_ arguments: Arguments) async throws(CommandFailure) -> Secret? {
        guard let path = arguments["secret-file"] else { return nil }
        guard let line = try await lines(of: path, atMost: 1).first else {
            throw CommandFailure(.usage, message: "--secret-file: there is no secret in \(path)")
        }
        return Secret(String(line.prefix { !$0.isNewline }))
    }

    static func bool(_ flag: String, in arguments: Arguments) throws(CommandFailure) -> Bool? {
        switch arguments[flag] {
        case nil: return nil
        case "true"?: return true
        case "false"?: return false
        default: throw CommandFailure(.usage, message: "--\(flag) must be true or false")
        }
    }

    /// Warns about redirect URIs whose scheme any app could have chosen.
    static func warnAboutShortSchemes(of client: JSONValue, on console: Console) {
        for case .string(let uri) in client["redirect_uris"]?.arrayElements ?? [] {
            let scheme = uri.prefix { $0 != ":" }
            guard !scheme.contains("."), !["http", "https"].contains(scheme.lowercased()) else { continue }
            console.report(
                "warning: other apps can also choose the scheme \(scheme), and would receive the user's codes"
            )
        }
    }

    /// Returns the path of a client.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the id would lead to another route.
    static func path(of id: String) throws(CommandFailure) -> String {
        guard let segment = PathSegment.encode(id) else {
            throw CommandFailure(.usage, message: "the client must not be empty")
        }
        return AdminRoute.clients + "/" + segment
    }

    private static func object(in path: String) async throws(CommandFailure) -> [String: JSONValue] {
        let text = try await lines(of: path, atMost: 10_000).joined()
        do {
            _ = try JSONParser.parse(Array(text.utf8))
        } catch {
            throw CommandFailure(.usage, message: "--file: \(path) is not valid JSON")
        }
        guard case .object(let members)? = try? JSONCoding.decode(JSONValue.self, from: Array(text.utf8))
        else {
            throw CommandFailure(.usage, message: "--file: \(path) is not a JSON object")
        }
        return members
    }

    private static func lines(of path: String, atMost limit: Int) async throws(CommandFailure) -> [String] {
        var texts: [String] = []
        for line in try await LineReader(path).next(atMost: limit) {
            do {
                texts.append(try line.text.get())
            } catch {
                throw CommandFailure(.usage, message: "\(path) is \(error)")
            }
        }
        return texts
    }
}

extension JSONValue {
    var objectMembers: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    var arrayElements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }
}
