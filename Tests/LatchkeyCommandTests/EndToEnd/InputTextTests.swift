import Foundation
import TestProcesses
import Testing

@Suite struct `Input that is not UTF-8` {
    private let folder = TestFolder()

    /// Runs a command line in a shell, in which `latchkey` is the program and `$data` its data folder.
    private func run(_ line: String) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(
            [
                "bash", "-c",
                "latchkey() { \"\(BuiltCommand.path)\" \"$@\"; }; data=\(folder.path)/data; \(line)",
            ],
            environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin"]
        )
    }

    private func write(_ bytes: [UInt8], as name: String) throws -> String {
        let path = folder.path + "/" + name
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    private func identities() async throws -> Int {
        try await run("latchkey identity list --data $data --json").output.split(separator: "\n").count
    }

    private static let create = "latchkey identity create --data $data --schema business --password-stdin"

    @Test func `A line of an import is rejected with its number and the position`() async throws {
        func line(_ number: Int, _ name: [UInt8]) -> [UInt8] {
            Array(#"{"schema_id":"reader","traits":{"email":"a\#(number)@example.com","display_name":""#.utf8)
                + name + Array("\"}}\n".utf8)
        }
        let bytes =
            line(1, Array("Zo".utf8) + [0xE9]) + line(2, Array("Zoë".utf8)) + line(3, Array("\u{FFFD}".utf8))
        let file = try write([0xEF, 0xBB, 0xBF] + bytes, as: "people.jsonl")

        for source in [file, "- < \(file)"] {
            let outcome = try await run("rm -rf $data; latchkey identity import --data $data \(source)")
            #expect(outcome.code == 3, "\(outcome.text)")
            #expect(outcome.output == "2 imported, 1 rejected\n")
            #expect(outcome.errors.contains("line 1: not UTF-8: error at byte 75"), "\(outcome.errors)")
            #expect(try await identities() == 2)
        }
    }

    @Test(arguments: [
        (
            #"printf 'P\xE4sswort-f\xFCr-mich\n' |"#, "--email a@example.com",
            "the input is not UTF-8: error at byte 1"
        ),
        (
            #"printf 'a-Password-of-7\n' |"#, #"--email $'a\xE9@example.com'"#,
            "argument 9 is not UTF-8: error at byte 1"
        ),
        (
            #"printf 'a-Password-of-7\n' | LATCHKEY_BASE_PATH=$'/\xE9'"#, "--email a@example.com",
            "the environment variable LATCHKEY_BASE_PATH is not UTF-8: error at byte 1"
        ),
    ])
    func `Passwords, arguments and settings are refused`(input: String, flags: String, error: String)
        async throws
    {
        let command = Self.create.replacing("latchkey", with: "\(BuiltCommand.path)", maxReplacements: 1)
        let outcome = try await run("\(input) \(command) \(flags)")

        #expect(outcome.code == 2, "\(outcome.text)")
        #expect(outcome.errors.contains("latchkey: \(error)"), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/data/latchkey.db"))
    }

    @Test func `Variables of other programs may contain any bytes`() async throws {
        let outcome = try await run(#"OTHER=$'\xE9' \#(BuiltCommand.path) version"#)

        #expect(outcome.code == 0, "\(outcome.text)")
    }

    @Test func `A byte-order mark is not part of a password`() async throws {
        let marked = #"printf '\xEF\xBB\xBFa-Password-of-7\r\nmore\n'"#
        let created = try await run("\(marked) | \(Self.create) --email a@example.com")
        #expect(created.code == 0, "\(created.text)")

        let server = try await ServerProcess(data: folder.path + "/data")
        let login = try await run(
            "printf 'a-Password-of-7' | latchkey login --server \(server.url) --email a@example.com --password-stdin"
        )
        #expect(login.code == 0, "\(login.text)")
        await server.stop()
    }
}
