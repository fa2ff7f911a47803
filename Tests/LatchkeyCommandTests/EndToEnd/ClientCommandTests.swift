import Foundation
import LatchkeyModel
import LatchkeyWire
import TestProcesses
import Testing

@Suite struct `Client commands` {
    private let folder = TestFolder()
    private let target: [String]

    init() async throws {
        target = ["--data", folder.path + "/data"]
        // Commands for clients don't create data.
        let identity = "identity create --schema business --email a@example.com --password-stdin"
        let created = try await run(identity, input: "a-Password-of-7\n")
        #expect(created.code == 0, "\(created.text)")
    }

    private func run(_ words: String, input: String = "", on target: [String]? = nil) async throws
        -> ChildProcess.Outcome
    {
        let arguments = words.split(separator: " ").map(String.init) + (target ?? self.target)
        return try await BuiltCommand.run(arguments, home: folder.path, input: input)
    }

    private func json(_ words: String, input: String = "", on target: [String]? = nil) async throws
        -> JSONValue
    {
        let outcome = try await run(words + " --json", input: input, on: target)
        #expect(outcome.code == 0, "\(outcome.text)")
        return try JSONCoding.decode(from: Array(outcome.output.utf8))
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = folder.path + "/" + name
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Creates, changes and deletes a client.
    private func manageClient(on target: [String]) async throws {
        let created = try await json(
            "client create --id shop --name Shop --redirect-uris https://shop.example.com/cb,com.example.shop:/cb --scope openid,profile --grant-types authorization_code,refresh_token --skip-consent true --first-party true --app-to-app true",
            on: target
        )
        #expect(created["client_id"]?.text == "shop")
        #expect(created["scope"]?.text == "openid profile")
        #expect(created["redirect_uris"]?.arrayCount == 2 && created["grant_types"]?.arrayCount == 2)
        #expect(created["skip_consent"] == .bool(true) && created["latchkey"]?["first_party"] == .bool(true))
        #expect(created["latchkey"]?["app_to_app"] == .bool(true))
        let secret = try #require(created["client_secret"]?.text)
        #expect(try await run("client create --id shop", on: target).code == 3)

        for word in ["get", "show"] {
            let shown = try await run("client \(word) shop", on: target)
            #expect(shown.code == 0 && shown.output.contains("https://shop.example.com/cb"), "\(shown.text)")
            #expect(!shown.text.contains(secret))
        }
        #expect(try await run("client list", on: target).output == "shop  client_secret_basic  Shop\n")
        #expect(try await run("client list --name Other", on: target).output.isEmpty)

        let updated = try await json(
            "client update shop --name New --skip-consent false --app-to-app false --disabled true",
            on: target
        )
        #expect(updated["client_name"]?.text == "New" && updated["skip_consent"] == .bool(false))
        #expect(updated["latchkey"]?["disabled"] == .bool(true))
        #expect(updated["latchkey"]?["first_party"] == .bool(true))
        #expect(updated["latchkey"]?["app_to_app"] == .bool(false))
        #expect(updated["redirect_uris"] == created["redirect_uris"] && updated["client_secret"] == nil)
        #expect(try await run("client list", on: target).output.contains("  disabled  New"))

        let rotated = try await run("client rotate-secret shop --overlap 2h", on: target)
        #expect(rotated.code == 0 && rotated.output.contains("client_secret  "), "\(rotated.text)")
        #expect(!rotated.output.contains(secret) && rotated.output.contains("previous_secret_expires_at"))
        let finished = try await json("client rotate-secret shop --finish", on: target)
        #expect(finished["latchkey"]?["previous_secret_expires_at"] == nil)

        #expect(try await run("client delete shop", on: target).code == 2)
        #expect(try await run("client delete shop --yes", on: target).code == 0)
        for words in ["get shop", "update shop --name x", "delete shop --yes", "rotate-secret shop"] {
            let missing = try await run("client \(words)", on: target)
            #expect(missing.code == 1 && missing.errors.contains("no client has this ID"), "\(missing.text)")
        }
    }

    @Test func `Clients can be managed directly in the data folder`() async throws {
        try await manageClient(on: target)
    }

    @Test func `Clients can be managed through the admin API of a running server`() async throws {
        let server = try await ServerProcess(data: folder.path + "/server", flags: [])
        let target = ["--admin-url", server.adminURL, "--data", folder.path + "/server"]
        try await manageClient(on: target)

        let nameless = try await run("client create --native", on: target)
        #expect(nameless.code == 2 && nameless.errors.contains("--issuer"), "\(nameless.text)")
        let native = try await json(
            "client create --native --id shop-app --issuer https://id.example.com",
            on: target
        )
        #expect(native["redirect_uris"] == .array([.string("com.example.id.shop-app:/callback")]))
        await server.stop()
    }

    @Test func `A native client gets a scheme of its own and no secret`() async throws {
        let outcome = try await run("client create --native --id app")
        #expect(outcome.output.contains("localhost.app:/callback"), "\(outcome.text)")
        let client = try await json("client get app")
        #expect(client["token_endpoint_auth_method"]?.text == "none" && client["client_secret"] == nil)
        #expect(client["application_type"]?.text == "native")
        #expect(client["id_token_signed_response_alg"]?.text == "ES256")

        let other = try await json("client create --native --redirect-uris com.example.app:/cb")
        let id = try #require(other["client_id"]?.text)
        #expect(Identifier(id) != nil)
        #expect(
            other["redirect_uris"]
                == .array([.string("localhost.\(id):/callback"), .string("com.example.app:/cb")])
        )
        for flags in ["--auth-method client_secret_post", "--secret-file -", "--id a_b"] {
            #expect(
                try await run("client create --native \(flags)", input: "password\n").code == 2,
                "\(flags)"
            )
        }
    }

    @Test func `A scheme without a dot needs a flag, and is registered with a warning`() async throws {
        let refused = try await run("client create --redirect-uris myapp:/cb")
        #expect(refused.code == 3 && refused.errors.contains("contains a dot"), "\(refused.text)")

        let created = try await run("client create --id x --redirect-uris myapp:/cb --allow-short-scheme")
        #expect(
            created.code == 0
                && created.errors.contains("warning: other apps can also choose the scheme myapp")
        )
        let updated = try await run("client update x --redirect-uris myapp:/other")
        #expect(updated.code == 0 && updated.errors.contains("warning:"), "\(updated.text)")
        #expect(try await run("client update x --redirect-uris https://a.example/cb").errors.isEmpty)

        let other = try await run("client create --id y --redirect-uris com.example.y:/cb --app-to-app true")
        #expect(other.code == 0 && other.errors.isEmpty, "\(other.text)")
        let changed = try await run("client update y --redirect-uris myapp:/cb")
        #expect(changed.code == 3 && changed.errors.contains("contains a dot"), "\(changed.text)")
        let client = try await json("client get y")
        #expect(client["redirect_uris"] == .array([.string("com.example.y:/cb")]))
        let allowed = try await run("client update y --redirect-uris myapp:/cb --allow-short-scheme")
        #expect(
            allowed.code == 0
                && allowed.errors.contains("warning: other apps can also choose the scheme myapp")
        )
    }

    @Test func `A secret is only read from a file or from standard input, and isn't repeated`() async throws {
        let path = try file("secret", "correct horse\nsecond line\n")
        let created = try await run("client create --id a --secret-file \(path)")
        #expect(created.code == 0 && !created.text.contains("correct horse"), "\(created.text)")
        let piped = try await run("client create --id b --secret-file -", input: "battery staple\r\n")
        #expect(piped.code == 0 && !piped.text.contains("battery staple"), "\(piped.text)")
        #expect(try await run("client update a --secret-file -", input: "another secret\n").code == 0)
        #expect(try await run("client rotate-secret a --secret-file -", input: "a new secret\n").code == 0)

        #expect(try await run("client create --secret x").code == 2)
        #expect(try await run("client create --secret-file -", input: "").code == 2)
        #expect(try await run("client create --secret-file -", input: "short\n").code == 3)
        #expect(try await run("client create --secret-file missing").code == 5)
        #expect(try await run("client create --secret-file - --file -", input: "{}").code == 2)
    }

    @Test func `All members can be read from a file, and flags override them`() async throws {
        let path = try file(
            "client.json",
            """
            {"client_id": "shop", "client_name": "Shop",
             "audience": ["https://api.example.com"], "latchkey": {"first_party": true, "pkce": "optional"}}
            """
        )
        let created = try await json("client create --file \(path) --name Other --first-party false")
        #expect(created["client_id"]?.text == "shop" && created["client_name"]?.text == "Other")
        #expect(created["audience"]?.arrayCount == 1)
        #expect(created["latchkey"]?["pkce"]?.text == "optional")
        #expect(created["latchkey"]?["first_party"] == .bool(false))

        let change = #"{"metadata": {"a/b": 1}, "latchkey": {"sign_up": "closed"}}"#
        let updated = try await json("client update shop --file -", input: change)
        #expect(updated["metadata"]?["a/b"] == .integer(1))
        #expect(updated["latchkey"]?["sign_up"]?.text == "closed")
        #expect(updated["latchkey"]?["pkce"]?.text == "optional")

        for text in ["", "[]", "{", "nonsense"] {
            #expect(try await run("client create --file -", input: text).code == 2, "\(text)")
        }
        #expect(try await run("client update shop").errors.contains("no changes were given"))
        for flag in ["skip-consent", "first-party", "app-to-app", "native-session"] {
            #expect(try await run("client update shop --\(flag) maybe").code == 2, "\(flag)")
        }
        #expect(try await run("client rotate-secret shop --finish --overlap 1h").code == 2)
    }
}

extension JSONValue {
    fileprivate var arrayCount: Int? {
        if case .array(let elements) = self { elements.count } else { nil }
    }
}
