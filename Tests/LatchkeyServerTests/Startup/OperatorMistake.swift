import Foundation
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyWire
import TestProcesses

/// A single mistake in an otherwise usable configuration, or a valid value at the end of its range.
struct OperatorMistake: Sendable, CustomStringConvertible {
    let description: String

    /// The settings to change, by key.
    ///
    /// `FOLDER` in a value stands for the test's folder.
    var settings: [String: String] = [:]

    /// Values in the configuration file, by key.
    ///
    /// They replace the settings of the usable configuration.
    var file: [String: JSONValue] = [:]

    /// Other environment variables.
    var variables: [String: String] = [:]

    /// The key that the error has to name, or `nil` if the mistake may be accepted or blamed on another
    /// setting.
    var blamed: String?

    /// Changes the files in the test's folder.
    var prepare: @Sendable (TemporaryFolder) throws -> Void = { _ in }

    /// All mistakes.
    static let all = settings + files + data

    /// All mistakes with `scripts/check --deep`, or every seventh, because each one starts a server.
    static let tried = all.enumerated()
        .filter { ProcessInfo.processInfo.environment["DEEP_TESTS"] != nil || $0.offset % 7 == 0 }
        .map(\.element)

    /// A new value for each setting.
    private static var settings: [OperatorMistake] {
        ServerConfiguration.settings.flatMap { key -> [OperatorMistake] in
            func value(_ text: String, _ name: String, isWrong: Bool = false) -> OperatorMistake {
                OperatorMistake(
                    description: "\(key.path): \(name)",
                    settings: [key.path: text],
                    blamed: isWrong ? key.path : nil
                )
            }
            func json(_ json: JSONValue, _ name: String, isWrong: Bool = false) -> OperatorMistake {
                OperatorMistake(
                    description: "\(key.path): \(name)",
                    file: [key.path: json],
                    blamed: isWrong ? key.path : nil
                )
            }
            var mistakes = [
                json(.array([.array([])]), "nested list", isWrong: key.wanted != "JSON"),
                json(.object(["a": .integer(1)]), "object", isWrong: key.wanted != "JSON"),
                value("", "empty"), value("FOLDER/no-such/value", "unknown value"),
                value("a\u{0}b", "NUL byte", isWrong: true),
                OperatorMistake(
                    description: "\(key.path): misspelled",
                    variables: [key.variable + "X": "1"],
                    blamed: key.variable + "X"
                ),
            ]
            let words = key.wanted.split { " ,".contains($0) }
            if key.wanted.hasPrefix("a whole number"), let low = Int(words[4]), let high = Int(words[6]) {
                mistakes += [
                    value("\(low - 1)", "too small", isWrong: true),
                    value("\(high + 1)", "too large", isWrong: true), value("\(low)", "smallest"),
                ]
                // The largest port may be in use.
                if high != 65_535 { mistakes.append(value("\(high)", "largest")) }
            }
            if key.wanted.hasPrefix("a duration") {
                mistakes += [
                    value("1000000000d", "too long", isWrong: true), value(String(words[3]), "shortest"),
                    value(String(words[5]), "longest"),
                ]
            }
            if key.mayBeInFile {
                mistakes += Content.allCases.map { content in
                    OperatorMistake(
                        description: "\(key.path)_file: \(content)",
                        variables: [key.variable + "_FILE": "FOLDER/secret"],
                        prepare: { try content.write(to: "secret", in: $0) }
                    )
                }
            }
            return mistakes
        }
    }

    /// Each setting that names a file or folder, with each kind of content.
    private static var files: [OperatorMistake] {
        let mail = [
            "courier.mail.kind": "smtp", "courier.mail.url": "smtps://mail.test",
            "courier.mail.from": "a@b.test",
        ]
        let places: [(key: String, name: String, more: [String: String])] = [
            ("identities.schemas", "", [:]), ("identities.schemas", "/own.json", [:]),
            ("flows.texts", "", [:]), ("flows.texts", "/sv.json", [:]),
            ("courier.templates", "", [:]), ("courier.templates", "/sv/login_code_valid.sms.txt", [:]),
            ("passwords.breaches", "", [:]), ("passwords.breaches", "/21BD1.txt", [:]),
            ("commerce.catalog", "", [:]), ("courier.mail.certificates", "", mail),
        ]
        return places.flatMap { key, name, more in
            Content.allCases.map { content in
                OperatorMistake(
                    description: "\(key)\(name): \(content)",
                    settings: more.merging([key: "FOLDER/own"]) { $1 },
                    prepare: { folder in
                        let parent = ("own" + name).split(separator: "/").dropLast().joined(separator: "/")
                        if !parent.isEmpty { try folder.makeFolder(parent) }
                        try content.write(to: "own" + name, in: folder)
                    }
                )
            }
        }
    }

    /// Each file in the data folder with each kind of content, and addresses that can't be used.
    private static var data: [OperatorMistake] {
        let names = ["secrets", "ca.key", "ca.pem", "admin.token", "lock", "latchkey.db"]
        let files = names.flatMap { name in
            Content.allCases.map { content in
                OperatorMistake(
                    description: "data/\(name): \(content)",
                    prepare: { folder in
                        try FileManager.default.removeItem(atPath: folder.file("data/" + name))
                        try content.write(to: "data/" + name, in: folder)
                    }
                )
            }
        }
        let folders = Content.allCases.map { content in
            OperatorMistake(
                description: "data: \(content)",
                settings: ["data": "FOLDER/other"],
                prepare: { try content.write(to: "other", in: $0) }
            )
        }
        let hosts = [
            "[::1]", "::1", "localhost", "127.0.0.2", "0.0.0.0", "203.0.113.1", "127.0.0.1:80", "a b",
            String(repeating: "x", count: 64) + ".invalid",
        ]
        let addresses = ["host", "admin.host"].flatMap { key in
            hosts.map {
                OperatorMistake(
                    description: "\(key): \($0)",
                    settings: [key: $0, "courier.allow_development": "true"]
                )
            }
        }
        let others = [
            OperatorMistake(description: "data: readable by others") { folder in
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o755],
                    ofItemAtPath: folder.file("data")
                )
            },
            OperatorMistake(description: "data: other secrets", blamed: "data") { folder in
                let secret = String(repeating: "A", count: 43)
                try Data(secret.utf8).write(to: URL(fileURLWithPath: folder.file("data/secrets")))
            },
            OperatorMistake(
                description: "ports: same on overlapping addresses",
                settings: [
                    "host": "0.0.0.0", "port": "4577", "admin.port": "4577",
                    "courier.allow_development": "true",
                ],
                blamed: "admin.port"
            ),
            OperatorMistake(
                description: "data: read-only, with a file of a token that is configured now",
                variables: ["LATCHKEY_ADMIN_TOKEN": "a-token-of-22-bytes-xy"],
                prepare: { folder in
                    try FileManager.default.setAttributes(
                        [.posixPermissions: 0o500],
                        ofItemAtPath: folder.file("data")
                    )
                }
            ),
            OperatorMistake(
                description: "url: user information",
                settings: ["url": "https://user@id.example.com"],
                blamed: "url"
            ),
            OperatorMistake(
                description: "base_path: space",
                settings: ["base_path": "/a b"],
                blamed: "base_path"
            ),
            OperatorMistake(description: "configuration: none of the settings is wrong"),
        ]
        return files + folders + addresses + others
    }
}

/// The content that an operator has put in a place where a file or a folder is expected.
enum Content: String, CaseIterable {
    case missing, emptyFile, emptyFolder, brokenLink, latin1, brokenJSON, emptyObject, duplicateMember,
        brokenPEM, unreadable

    /// Writes the content to a file or folder.
    func write(to name: String, in folder: TemporaryFolder) throws {
        let path = folder.file(name)
        let text: [UInt8]
        switch self {
        case .missing: return
        case .emptyFolder: return try folder.makeFolder(name)
        case .brokenLink:
            return try FileManager.default.createSymbolicLink(
                atPath: path,
                withDestinationPath: folder.file("nowhere")
            )
        case .emptyFile: text = []
        case .latin1: text = [0xE4, 0xF6, 0x0A]
        case .brokenJSON: text = Array(#"{"Password": "#.utf8)
        case .duplicateMember: text = Array(#"{"Password": "a", "Password": "b"}"#.utf8)
        case .emptyObject, .unreadable: text = Array("{}".utf8)
        case .brokenPEM: text = Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
        }
        try Data(text).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes(
            [.posixPermissions: self == .unreadable ? 0 : 0o600],
            ofItemAtPath: path
        )
    }
}
