import Foundation
import LatchkeyModel
import LatchkeyServer
import LatchkeyWire
import TestProcesses
import Testing

@Suite struct `An operator's command` {
    private let folder = TestFolder()

    private func run(_ words: String, input: String = "", _ place: [String]) async throws
        -> ChildProcess.Outcome
    {
        let arguments = words.split(separator: " ").map(String.init)
        return try await BuiltCommand.run(arguments + place, home: folder.path, input: input)
    }

    private func json(_ outcome: ChildProcess.Outcome) throws -> JSONValue {
        #expect(outcome.code == 0, "\(outcome.text)")
        return try JSONCoding.decode(from: Array(outcome.output.utf8))
    }

    /// The work itself, wherever it is done.
    private func work(_ place: [String]) async throws {
        let created = try json(
            try await run(
                "identity create --schema business --email a@example.com --password-stdin --json",
                input: "a-Password-of-7\n",
                place
            )
        )
        let id = try #require(created["id"]?.text)
        #expect(created["credentials"]?["password"]?["type"] == .string("password"))
        let weak = "identity create --schema business --email b@example.com --password-stdin"
        #expect(try await run(weak, input: "b\n", place).code == 3)
        let taken = "identity create --schema business --email A@example.com --password-stdin"
        #expect(try await run(taken, input: "a-Password-of-7\n", place).code == 3)
        #expect(try json(try await run("identity get A@example.com --json", place))["id"]?.text == id)
        #expect(try await run("identity find nobody@example.com", place).code == 1)

        let updated = try json(
            try await run(#"identity update \#(id) --metadata-admin {"plan":"gold"} --json"#, place)
        )
        #expect(updated["metadata_admin"]?["plan"] == .string("gold"))
        #expect(updated["traits"] == created["traits"])
        #expect(
            try json(try await run("identity disable a@example.com --json", place))["state"]
                == .string("inactive")
        )
        #expect(try await run("identity disable \(id)", place).errors.contains("already inactive"))
        #expect(try json(try await run("identity enable \(id) --json", place))["state"] == .string("active"))
        #expect(try await run("identity list", place).output.split(separator: "\n").count == 1)
        #expect(try await run("sessions list --identity \(id)", place).output.isEmpty)
        #expect(try await run("sessions revoke \(id) --all", place).code == 0)
        let code = try json(try await run("identity recover \(id) --expires-in 15m --json", place))
        #expect(code["recovery_code"]?.text?.count == 6)

        #expect(try await run("identity delete \(id)", place).code == 2)
        #expect(try await run("identity delete \(id) --yes", place).code == 0)
        let history = try await run("identity history \(id)", place)
        #expect(history.output.contains("operator  identity.deleted"))
        #expect(history.output.split(separator: "\n").count == 6, "\(history.output)")
    }

    @Test func `works on the data`() async throws {
        try await work(["--data", folder.path + "/data"])
    }

    @Test func `works through the operator's API of a server`() async throws {
        let server = try await ServerProcess(data: folder.path + "/server", flags: [])
        try await work(["--admin-url", server.adminURL, "--data", folder.path + "/server"])
        await server.stop()
        let gone = try await run("identity list", ["--admin-url", server.adminURL])
        #expect(gone.code == 4, "\(gone.text)")
    }

    @Test func `finds the admin token in the data folder, or is told where to look`() async throws {
        let data = folder.path + "/.local/share/latchkey/server"
        let server = try await ServerProcess(data: data)
        let place = ["--admin-url", server.adminURL]
        let token = data + "/admin.token"

        #expect(try await run("identity list", place).code == 0, "in the default folder")
        let file = folder.path + "/token"
        try FileManager.default.moveItem(atPath: token, toPath: file)
        let without = try await run("identity list", place)
        #expect(without.code == 3)
        #expect(without.errors.contains("--admin-token-file"), "\(without.errors)")
        #expect(try await run("identity list", place + ["--admin-token-file", file]).code == 0)

        try FileManager.default.createDirectory(atPath: token, withIntermediateDirectories: true)
        let unreadable = try await run("identity list", place)
        #expect(unreadable.code == 5)
        #expect(unreadable.errors.contains("cannot read \(token)"), "\(unreadable.errors)")
        #expect(!unreadable.text.contains("lk_admin_"))
        await server.stop()
    }

    @Test func `sends the token of the default data folder to no other machine`() async throws {
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

    @Test func `takes in what others have hashed, and names the lines that it refuses`() async throws {
        let place = ["--data", folder.path + "/data"]
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

        let first = try await run("identity import \(file)", place)
        #expect(first.code == 3)
        #expect(first.output == "50 imported, 2 rejected\n")
        #expect(first.errors.contains("line 11: The body is not valid JSON"))
        #expect(first.errors.contains("line 53: Another identity"))
        let again = try await run("identity import - --json", input: lines[0] + "\n", place)
        #expect(again.output == #"{"imported":0,"refused":1}"# + "\n")
        #expect(
            try await run("identity list --limit 7 --json", place).output.split(separator: "\n").count == 7
        )
        #expect(try await run("identity list", place).output.split(separator: "\n").count == 50)
        #expect(try await run("identity import missing.jsonl", place).code == 5)
    }
}
