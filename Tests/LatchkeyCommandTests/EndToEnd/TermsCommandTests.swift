import Foundation
import LatchkeyModel
import LatchkeyWire
import TestProcesses
import Testing

@Suite struct `Commands for terms` {
    private let folder = TestFolder()
    private let target: [String]
    private let terms: String

    init() async throws {
        target = ["--data", folder.path + "/data"]
        terms = folder.path + "/terms"
        // Commands for terms don't create data.
        let identity = "identity create --schema business --email a@example.com --password-stdin"
        let created = try await run(identity, input: "a-Password-of-7\n")
        #expect(created.code == 0, "\(created.text)")
        try write(
            "shop-terms/document.json5",
            "{kind: 'terms', default_language: 'nb', titles: {nb: 'Vilkår'}}"
        )
        try write("shop-terms/1/version.json5", "{asks: 'acceptance'} // the first")
        try write("shop-terms/1/nb.md", "\u{FEFF}# Vilkår\r\n\r\nVær snill.\r\n")
        try write("README.md", "For lawyers.")
    }

    private func write(_ file: String, _ text: String) throws { try write(file, bytes: Array(text.utf8)) }

    private func write(_ file: String, bytes: [UInt8]) throws {
        let path = "\(terms)/\(file)"
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        try FileManager.default.createDirectory(atPath: "/" + parent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    private func run(_ words: String, input: String = "") async throws -> ChildProcess.Outcome {
        let arguments = words.split(separator: " ").map(String.init) + target
        return try await BuiltCommand.run(arguments, home: folder.path, input: input)
    }

    private func terms(_ words: String) async throws -> ChildProcess.Outcome {
        try await run("terms \(words.replacingOccurrences(of: "FOLDER", with: terms))")
    }

    @Test func `A folder is checked, published once, listed and shown`() async throws {
        let plan = try await terms("check FOLDER")
        #expect(plan.code == 0, "\(plan.text)")
        #expect(plan.output.contains("shop-terms: new document\n"))
        #expect(plan.output.contains("shop-terms 1: new version, effective "))
        #expect(plan.output.contains(", asks about 1 account for acceptance\n"))
        #expect(try await terms("list").output.isEmpty)

        let unconfirmed = try await terms("publish FOLDER")
        #expect(unconfirmed.code == 2 && unconfirmed.errors.contains("--yes"), "\(unconfirmed.text)")
        let dry = try await terms("publish FOLDER --dry-run")
        #expect(dry.code == 0 && dry.output.contains("new document"), "\(dry.text)")
        #expect(try await terms("list").output.isEmpty)

        let published = try await terms("publish FOLDER --yes")
        #expect(published.code == 0 && published.output.contains("shop-terms 1: new version"))
        for words in ["publish FOLDER --yes", "publish FOLDER", "check FOLDER"] {
            #expect(try await terms(words).output == "Everything is already published.\n")
        }
        let list = try await terms("list").output
        #expect(list.hasPrefix("shop-terms  terms  nb\n  1  acceptance  "), "\(list)")

        // The byte-order mark isn't a part of the text, but the line ends are.
        let hash = Base64URL.encode(SHA256Hash.hash(Array("# Vilkår\r\n\r\nVær snill.\r\n".utf8)))
        let shown = try await terms("show shop-terms --text")
        #expect(shown.output.contains("hash        \(hash)\n"), "\(shown.text)")
        #expect(shown.output.contains("Vær snill."))
        for words in ["show other", "show shop-terms --version 2", "show shop-terms --language en"] {
            #expect(try await terms(words).code == 1)
        }
    }

    @Test func `Answers are counted, and exported with signatures that can be verified`() async throws {
        #expect(try await terms("publish FOLDER --yes").code == 0)
        let status = try await terms("status")
        #expect(
            status.output == "shop-terms  version 1 required  0 of 1 accounts\n",
            "\(status.text)"
        )
        let evidence = try await terms("evidence --account a@example.com")
        #expect(evidence.code == 0 && evidence.output.isEmpty, "\(evidence.text)")
        #expect(try await terms("evidence --account b@example.com").code == 1)
        #expect(try await terms("evidence").code == 2)
        try write("empty.jsonl", "")
        let empty = try await terms("verify FOLDER/empty.jsonl")
        #expect(empty.code == 1 && empty.errors.contains("contains no evidence"), "\(empty.text)")
        try write("other.jsonl", "{}\n")
        let other = try await terms("verify FOLDER/other.jsonl")
        #expect(
            other.code == 1 && other.errors.contains("line 1: the line is not a JSON object with evidence")
        )
        #expect(try await terms("verify FOLDER/none.jsonl").code == 5)
    }

    @Test func `A version that asks for nothing needs no confirmation`() async throws {
        try write("shop-terms/1/version.json5", "{asks: 'nothing'}")
        let published = try await terms("publish FOLDER")
        #expect(published.code == 0 && published.output.contains("asks for nothing"), "\(published.text)")
    }

    @Test func `A new version is published although the texts of earlier ones are not sent again`()
        async throws
    {
        #expect(try await terms("publish FOLDER --yes").code == 0)
        try write("shop-terms/2/version.json5", "{asks: 'acceptance', effective_at: '2999-01-01T00:00:00Z'}")
        try write("shop-terms/2/nb.md", "Vær snillere.")
        try write("shop-terms/2/nb.summary.txt", "\n Snillere.\n")
        let published = try await terms("publish FOLDER --yes --json")
        #expect(published.code == 0, "\(published.text)")
        let json: JSONValue = try JSONCoding.decode(from: Array(published.output.utf8))
        #expect(json["changes"]?.array?.compactMap { $0["version"]?.integer } == [2])
        let shown = try await terms("show shop-terms")
        #expect(shown.output.contains("version     2\n") && shown.output.contains("summary     Snillere.\n"))

        try write("shop-terms/1/nb.md", "Noe annet.")
        let changed = try await terms("publish FOLDER --yes")
        #expect(changed.code == 1 && changed.errors.contains("shop-terms/1/nb: another text was published"))
    }

    /// Files, their contents, and the mistake that the command reports.
    static let mistakes: [(file: String, content: [UInt8], mistake: String)] = [
        ("shop-terms/1/nb.md", [0x61, 0xFF], "1/nb.md is not UTF-8: error at byte 1"),
        ("shop-terms/1/nb.md", [], "shop-terms/1/nb: text is empty"),
        ("shop-terms/1/en.txt", [], "shop-terms/1/en.txt: expected version.json5, a text such as en.md"),
        ("shop-terms/1/en.summary.txt", [], "en.summary.txt: there is no text en.md"),
        ("shop-terms/one/x", [], "shop-terms/one: expected document.json5 or a folder"),
        ("shop-terms/01/x", [], "shop-terms/01: expected document.json5 or a folder"),
        ("shop-terms/2/nb.md", [0x61], "cannot open"),
        ("shop-terms/1/version.json5", Array("{asks: }".utf8), "version.json5 is not valid JSON5"),
        ("shop-terms/1/version.json5", Array("[]".utf8), "version.json5 is not an object"),
        (
            "shop-terms/1/version.json5", Array("{asks: 'nothing', asks: 'nothing'}".utf8),
            "version.json5: line 1: the member asks occurs twice"
        ),
        (
            "shop-terms/1/version.json5", Array("{asks: 'nothing', number: 2}".utf8),
            "version.json5: unknown member number"
        ),
        (
            "shop-terms/document.json5", Array("{kind: 'terms', titles: {nb: 'V'}}".utf8),
            "shop-terms: default_language must be a lowercase language tag"
        ),
        ("Shop/document.json5", Array("{}".utf8), "key must have 1 to 64 lowercase letters"),
        ("empty/x", [], "document.json5"),
    ]

    @Test(arguments: mistakes.indices) func `A mistake in a folder is reported with its file`(
        _ index: Int
    ) async throws {
        let (file, content, mistake) = Self.mistakes[index]
        try write(file, bytes: content)
        for words in ["check FOLDER", "publish FOLDER --yes"] {
            let outcome = try await terms(words)
            #expect(outcome.code == 1 && outcome.errors.contains(mistake), "\(outcome.text)")
        }
        #expect(try await terms("list").output.isEmpty)
    }

    @Test func `A folder that doesn't exist or has no documents is an error`() async throws {
        #expect(try await run("terms check \(folder.path)/none").errors.contains("cannot read the folder"))
        try FileManager.default.createDirectory(
            atPath: folder.path + "/none",
            withIntermediateDirectories: true
        )
        #expect(try await run("terms check \(folder.path)/none").errors.contains("contains no folder"))
    }
}
