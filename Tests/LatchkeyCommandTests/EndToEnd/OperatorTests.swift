import Foundation
import LatchkeyModel
import LatchkeyServer
import LatchkeyWire
import TestProcesses
import Testing

@Suite struct `Operator commands` {
    private let folder = TestFolder()

    private func run(_ words: String, input: String = "", on target: [String]) async throws
        -> ChildProcess.Outcome
    {
        let arguments = words.split(separator: " ").map(String.init)
        return try await BuiltCommand.run(arguments + target, home: folder.path, input: input)
    }

    private func json(_ outcome: ChildProcess.Outcome) throws -> JSONValue {
        #expect(outcome.code == 0, "\(outcome.text)")
        return try JSONCoding.decode(from: Array(outcome.output.utf8))
    }

    /// Creates, changes and deletes an identity.
    private func manageIdentity(on target: [String]) async throws {
        let created = try json(
            try await run(
                "identity create --schema business --email a@example.com --password-stdin --json",
                input: "a-Password-of-7\n",
                on: target
            )
        )
        let id = try #require(created["id"]?.text)
        #expect(created["credentials"]?["password"]?["type"] == .string("password"))
        let weak = "identity create --schema business --email b@example.com --password-stdin"
        #expect(try await run(weak, input: "b\n", on: target).code == 3)
        let taken = "identity create --schema business --email A@example.com --password-stdin"
        #expect(try await run(taken, input: "a-Password-of-7\n", on: target).code == 3)
        #expect(try json(try await run("identity get A@example.com --json", on: target))["id"]?.text == id)
        #expect(try await run("identity find nobody@example.com", on: target).code == 1)

        let updated = try json(
            try await run(#"identity update \#(id) --metadata-admin {"plan":"gold"} --json"#, on: target)
        )
        #expect(updated["metadata_admin"]?["plan"] == .string("gold"))
        #expect(updated["traits"] == created["traits"])
        #expect(
            try json(try await run("identity disable a@example.com --json", on: target))["state"]
                == .string("inactive")
        )
        #expect(try await run("identity disable \(id)", on: target).errors.contains("already inactive"))
        #expect(
            try json(try await run("identity enable \(id) --json", on: target))["state"] == .string("active")
        )
        #expect(try await run("identity list", on: target).output.split(separator: "\n").count == 1)
        #expect(try await run("sessions list --identity \(id)", on: target).output.isEmpty)
        #expect(try await run("sessions revoke \(id) --all", on: target).code == 0)
        let code = try json(try await run("identity recover \(id) --expires-in 15m --json", on: target))
        #expect(code["recovery_code"]?.text?.count == 6)

        for command in ["identity delete --yes", "identity disable", "sessions revoke --all"] {
            let unnamed = try await run(command, on: [""] + target)
            #expect(unnamed.code == 2, "\(command)")
            #expect(unnamed.errors.contains("the identity must not be empty"))
        }
        #expect(try await run("identity delete \(id)", on: target).code == 2)
        #expect(try await run("identity delete \(id) --yes", on: target).code == 0)
        let history = try await run("identity history \(id)", on: target)
        #expect(history.output.contains("operator  identity.deleted"))
        #expect(history.output.split(separator: "\n").count == 6, "\(history.output)")
    }

    @Test func `Identities can be managed directly in the data folder`() async throws {
        try await manageIdentity(on: ["--data", folder.path + "/data"])
    }

    @Test func `Identities can be managed through the admin API of a running server`() async throws {
        let server = try await ServerProcess(data: folder.path + "/server", flags: [])
        try await manageIdentity(on: ["--admin-url", server.adminURL, "--data", folder.path + "/server"])
        await server.stop()
        let gone = try await run("identity list", on: ["--admin-url", server.adminURL])
        #expect(gone.code == 4, "\(gone.text)")
    }

    @Test func `The admin token is read from the data folder or from --admin-token-file`() async throws {
        let data = folder.path + "/.local/share/latchkey/server"
        let server = try await ServerProcess(data: data)
        let target = ["--admin-url", server.adminURL]
        let token = data + "/admin.token"

        #expect(try await run("identity list", on: target).code == 0, "in the default folder")
        let file = folder.path + "/token"
        try FileManager.default.moveItem(atPath: token, toPath: file)
        let without = try await run("identity list", on: target)
        #expect(without.code == 3)
        #expect(without.errors.contains("--admin-token-file"), "\(without.errors)")
        #expect(try await run("identity list", on: target + ["--admin-token-file", file]).code == 0)

        try FileManager.default.createDirectory(atPath: token, withIntermediateDirectories: true)
        let unreadable = try await run("identity list", on: target)
        #expect(unreadable.code == 5)
        #expect(unreadable.errors.contains("cannot read \(token)"), "\(unreadable.errors)")
        #expect(!unreadable.text.contains("lk_admin_"))
        await server.stop()
    }

    @Test func `The admin token in the default folder is only sent to loopback addresses`() async throws {
        let data = folder.path + "/.local/share/latchkey/server"
        let configuration = try ServerConfiguration.load(environment: ["HOME": folder.path])
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try "lk_admin_x\n".write(toFile: data + "/admin.token", atomically: true, encoding: .utf8)
        let named = try ServerConfiguration.load(flags: ["data": data])

        for url in ["http://localhost:4434", "http://127.0.0.1:1/x", "http://[::1]:2"] {
            #expect(try configuration.adminToken(for: url) == "lk_admin_x")
        }
        for url in ["http://10.0.0.7:4434", "https://127.0.0.1.example.com", "http://localhost@example.com"] {
            #expect(try configuration.adminToken(for: url) == nil)
            #expect(try named.adminToken(for: url) == "lk_admin_x")
        }
    }

    @Test(
        arguments: [
            (["PGSSLMODE": "require"], "postgres://db.example.com/people", true),
            (["PGSSLMODE": "verify-ca"], "postgres://db.example.com/people", false),
            (["PGSSLMODE": "verify-full"], "postgres://db.example.com/people?sslmode=require", true),
            (["PGREQUIRESSL": "1"], "postgres://db.example.com/people", true),
            (["PGHOST": "db.example.com"], "postgres:///people?sslmode=require", true),
            (["PGHOSTADDR": "192.0.2.1"], "postgres:///people?sslmode=require", true),
            (["PGHOST": "localhost"], "postgres:///people?sslmode=require", false),
            (["PGHOST": "db.example.com"], "postgres://localhost/people?sslmode=require", false),
        ]
    )
    func `The check of a configuration warns about databases whose certificate isn't verified`(
        environment: [String: String],
        url: String,
        isWarned: Bool
    ) async throws {
        let outcome = try await ChildProcess.run(
            [BuiltCommand.path, "config", "check", "--database", url],
            environment: environment.merging(["HOME": folder.path, "PATH": "/usr/bin:/bin"]) { $1 }
        )

        #expect(outcome.code == 0, "\(outcome.text)")
        #expect(outcome.errors.contains("warning: database") == isWarned, "\(outcome.text)")
    }

    @Test func `A limit on event streams that leaves too few connections is refused`() async throws {
        let check = ["config", "check", "--connections-limit", "100", "--events-streams"]
        #expect(try await BuiltCommand.run(check + ["50"], home: folder.path).code == 0)
        let refused = try await BuiltCommand.run(check + ["51"], home: folder.path)
        #expect(refused.code == 2)
        #expect(refused.errors.contains("events.streams"))
    }

    @Test func `An invalid URL for the admin listener is reported as a usage error`() async throws {
        #expect(try await run("identity list", on: ["--admin-url", "nonsense"]).code == 2)
    }

    @Test(arguments: [
        "identity list", "identity get a@example.com", "identity find a@example.com",
        "identity history a@example.com", "identity disable a@example.com", "identity enable a@example.com",
        "identity delete a@example.com --yes", "identity recover a@example.com", "sessions list",
        "sessions revoke a@example.com --all", "transactions list", "client create", "client list",
        "client get shop", "client update shop --name x", "client delete shop --yes",
        "client rotate-secret shop",
    ])
    func `Commands that don't create accounts don't create data`(words: String) async throws {
        let data = folder.path + "/typo"

        let outcome = try await run(words, on: ["--data", data])

        #expect(outcome.code == 5, "\(outcome.text)")
        #expect(outcome.errors.contains("no data in \(data) (--data)"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: data))
        let usual = folder.path + "/.local/share/latchkey/server"
        let unnamed = try await run(words, on: [])
        #expect(unnamed.code == 5)
        #expect(unnamed.errors.contains("no data in \(usual) (the default folder)"), "\(unnamed.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(arguments: [
        "identity create --schema business --email a@example.com --password-stdin", "identity import -",
    ])
    func `Commands that create accounts create data and say so`(words: String) async throws {
        let target = ["--data", folder.path + "/data"]
        let notice = "Created new data in \(folder.path)/data"

        let first = try await run(words, input: "a-Password-of-7\n", on: target)
        let second = try await run(words, input: "a-Password-of-7\n", on: target)

        #expect(first.errors.contains(notice), "\(first.text)")
        #expect(!second.errors.contains(notice), "\(second.text)")
        #expect(try await run("identity list", on: target).code == 0)
    }

    @Test(arguments: ["serve", "config check", "identity list", "identity import -", "sessions list"])
    func `Without a home folder, the data folder has to be given`(words: String) async throws {
        let outcome = try await ChildProcess.run(
            [BuiltCommand.path] + words.split(separator: " ").map(String.init),
            environment: ["PATH": "/usr/bin:/bin"],
            in: folder.path
        )

        #expect(outcome.code == 5, "\(outcome.text)")
        #expect(outcome.errors.contains("HOME is not set"), "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func `Without a home folder, the settings can still be shown and used as a file`() async throws {
        let shown = try await ChildProcess.run(
            [BuiltCommand.path, "config", "show"],
            environment: ["PATH": "/usr/bin:/bin"]
        )
        #expect(shown.code == 0, "\(shown.text)")
        let file = folder.path + "/shown.json5"
        try shown.output.write(toFile: file, atomically: true, encoding: .utf8)

        let checked = try await BuiltCommand.run(["config", "check", "--config", file], home: folder.path)

        #expect(checked.code == 0, "\(checked.text)")
    }

    @Test func `The check of a configuration reports every problem and creates nothing`() async throws {
        let missing = folder.path + "/missing"
        let flags = [
            "--data", folder.path + "/data", "--codes-guesses", "0", "--identities-default-schema", "nope",
            "--flows-texts", missing, "--passwords-breaches", missing, "--host", "203.0.113.1",
        ]

        let outcome = try await BuiltCommand.run(["config", "check"] + flags, home: folder.path)

        #expect(outcome.code == 2, "\(outcome.text)")
        for key in [
            "codes.guesses", "identities.default_schema", "flows.texts", "passwords.breaches", "host",
        ] {
            #expect(outcome.errors.contains("latchkey: \(key) (--"), "\(key): \(outcome.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func `An unreadable file is reported instead of importing no identities`() async throws {
        let outcome = try await run("identity import \(folder.path)", on: ["--data", folder.path + "/data"])

        #expect(outcome.code == 5)
        #expect(outcome.errors.contains("cannot read \(folder.path): Is a directory"), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }

    @Test func `Importing hashed passwords reports which lines were rejected`() async throws {
        let target = ["--data", folder.path + "/data"]
        let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        var lines: [String] = []
        for number in 1...50 {
            lines.append(
                """
                {"schema_id": "business", "traits": {"email": "person\(number)@example.com"}, \
                "credentials": {"password": {"config": {"hashed_password": "\(hash)"}}}}
                """
            )
        }
        lines.insert("", at: 3)
        lines.insert("nonsense", at: 10)
        lines.append(lines[0])
        let file = folder.path + "/people.jsonl"
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)

        let first = try await run("identity import \(file)", on: target)
        #expect(first.code == 3)
        #expect(first.output == "50 imported, 2 rejected\n")
        #expect(first.errors.contains("line 11: The body is not valid JSON"))
        #expect(first.errors.contains("line 53: Another identity"))
        let again = try await run("identity import - --json", input: lines[0] + "\n", on: target)
        #expect(again.output == #"{"imported":0,"refused":1}"# + "\n")
        #expect(
            try await run("identity list --limit 7 --json", on: target).output.split(separator: "\n").count
                == 7
        )
        #expect(try await run("identity list", on: target).output.split(separator: "\n").count == 50)
        #expect(try await run("identity import missing.jsonl", on: target).code == 5)
    }
}
