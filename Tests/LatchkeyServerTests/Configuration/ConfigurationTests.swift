import Foundation
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyWire
import TestProcesses
import Testing

@Suite struct `Server configuration` {
    static let levels: [(file: String?, variable: String?, flag: String?, port: Int, source: String?)] = [
        (nil, nil, nil, 4433, nil),
        ("1", nil, nil, 1, "file"),
        (nil, "2", nil, 2, "LATCHKEY_PORT"),
        (nil, nil, "3", 3, "--port"),
        ("1", "2", nil, 2, "LATCHKEY_PORT"),
        ("1", nil, "3", 3, "--port"),
        (nil, "2", "3", 3, "--port"),
        ("1", "2", "3", 3, "--port"),
    ]

    @Test(arguments: levels)
    func `Flags override variables, variables override the file, and the file overrides defaults`(
        file: String?,
        variable: String?,
        flag: String?,
        port: Int,
        source: String?
    ) throws {
        let folder = TemporaryFolder()
        let path = try file.map { try folder.write("{ port: \($0) }") }

        let configuration = try ServerConfiguration.load(
            file: path,
            environment: variable.map { ["LATCHKEY_PORT": $0] } ?? [:],
            flags: flag.map { ["port": $0] } ?? [:]
        )

        #expect(configuration.port == port)
        #expect(configuration.sources["port"]?.description == (source == "file" ? path : source))
    }

    /// Properties of the configuration that operators can't set.
    private static let membersWithoutKey: Set = [
        ".sources", ".secretFiles", ".certificates.enrolmentWindow", ".limits.noticeTextsPerAccount",
        ".tokens.keyNotice",
    ]

    @Test func `Every setting has a key`() {
        func settings(_ value: Any, _ path: String) -> [String] {
            let mirror = Mirror(reflecting: value)
            let isGroup =
                "\(type(of: value))".hasPrefix("Optional") == false && mirror.displayStyle == .struct
            guard isGroup, path.isEmpty || "\(Swift.type(of: value))".hasSuffix("Settings")
            else { return [path] }
            return mirror.children.flatMap { settings($0.value, "\(path).\($0.label ?? "")") }
        }
        let all = settings(ServerConfiguration(data: "x"), "").filter {
            !Self.membersWithoutKey.contains($0)
        }

        #expect(all.count == ServerConfiguration.settings.count)
    }

    @Test func `The names of the settings are unambiguous`() {
        let keys = ServerConfiguration.settings

        #expect(Set(keys.map(\.path)).count == keys.count)
        #expect(Set(keys.map(\.flag)).count == keys.count)
        #expect(
            Set(keys.map(\.variable) + keys.filter(\.mayBeInFile).map { $0.variable + "_FILE" }).count
                == keys.count + keys.filter(\.mayBeInFile).count
        )
    }

    static let written: [(key: String, text: String, json: String, shown: String)] = [
        ("host", "::1", "'::1'", #""::1""#),
        ("url", "https://localhost:8443/", "'https://localhost:8443'", #""https://localhost:8443""#),
        ("base_path", "", "''", #""""#),
        ("trusted_proxies", "10.0.0.1, 10.0.0.2", "['10.0.0.1', '10.0.0.2']", #"["10.0.0.1","10.0.0.2"]"#),
        ("identities.registration", "false", "false", "false"),
        ("log.level", "trace", "'trace'", #""trace""#),
        ("flows.lifespan", "600s", "'10m'", #""10m""#),
        ("sessions.lifespan", "24h", "'1d'", #""1d""#),
        ("limits.codes_per_phone", "1/30s,5/1h", "['1/30s', '5/60m']", #"["1/30s","5/1h"]"#),
        ("limits.codes_per_address", "", "[]", "[]"),
        ("limits.codes_per_address", "30+1/120s", "['30+1/2m']", #"["30+1/2m"]"#),
        ("courier.calling_codes", "46, +47", "['46', '+47']", #"["46","47"]"#),
        ("passwords.memory_kib", "8", "8", "8"),
        (
            "oauth.scopes", "{a: {audience: 'b', description: {en: 'c'}}}",
            "{a: {audience: 'b', description: {en: 'c'}}}",
            #"{"a":{"audience":"b","description":{"en":"c"}}}"#
        ),
        ("courier.body", #"{"to":"{{phone}}"}"#, "{ to: '{{phone}}' }", #"{"to":"{{phone}}"}"#),
        ("admin.token", "s3cr3t-s3cr3t-16", "'s3cr3t-s3cr3t-16'", #""‹secret›""#),
        ("courier.headers", "{ Key: 's3cr3t' }", "{ Key: 's3cr3t' }", #"{"Key":"‹secret›"}"#),
    ]

    @Test(arguments: written)
    func `Variables and files accept the same values`(key: String, text: String, json: String, shown: String)
        throws
    {
        let folder = TemporaryFolder()
        let setting = try #require(ServerConfiguration.settings.first { $0.path == key })
        let nested = key.split(separator: ".").reversed().reduce(json) { "{ \($1): \($0) }" }

        let configurations = [
            try ServerConfiguration.load(environment: [setting.variable: text]),
            try ServerConfiguration.load(file: try folder.write(nested)),
        ]

        for configuration in configurations {
            #expect(
                try String(decoding: JSONCoding.encode(setting.show(configuration)), as: UTF8.self) == shown
            )
            #expect(!configuration.text.contains("s3cr3t"))
            #expect(!"\(configuration)".contains("s3cr3t"))
        }
    }

    @Test func `Files that are not UTF-8 are reported with the position`() throws {
        for (name, key) in [("c", "FILE: the file"), ("t", "admin.token_file (FILE): the file t")] {
            let error = #expect(throws: ConfigurationError.self) {
                try ServerConfiguration.load(file: "c", environment: [:], flags: [:]) { path in
                    let text = Array(
                        (path == "c" ? "{admin: {token_file: 't'}}" : "s3cr3t-s3cr3t-16-bytes").utf8
                    )
                    return path == name ? Array(text.prefix(2)) + [0xE9] + text.dropFirst(2) : text
                }
            }
            let problem = key.replacing("FILE", with: "c") + " is not UTF-8: error at byte 2"
            #expect(error?.problems.map(\.description) == [problem])
        }
    }

    @Test func `A byte-order mark at the start of a file is skipped`() throws {
        let folder = TemporaryFolder()
        let token = try folder.write("\u{FEFF}s3cr3t-s3cr3t-16-bytes\n", as: "token", mode: 0o600)
        let file = try folder.write("\u{FEFF}{admin: {token_file: '\(token)'}}")

        #expect(try ServerConfiguration.load(file: file).admin.token?.exposed == "s3cr3t-s3cr3t-16-bytes")
    }

    static let wrong:
        [(file: String?, environment: [String: String], flags: [String: String], problem: String)] = [
            ("{ prot: 1 }", [:], [:], "prot (FILE): unknown setting; did you mean port?"),
            (
                "{ admin: { prot: 1 } }", [:], [:],
                "admin.prot (FILE): unknown setting; did you mean admin.port?"
            ),
            ("{ admin: 1 }", [:], [:], "admin (FILE): unknown setting"),
            ("{ port: { a: 1 } }", [:], [:], #"port (FILE): {"a":1} is not a whole number from 0 to 65535"#),
            ("{ port: '1' }", [:], [:], #"port (FILE): "1" is not a whole number from 0 to 65535"#),
            ("{ port: 1.5 }", [:], [:], "port (FILE): 1.5 is not a whole number from 0 to 65535"),
            ("[]", [:], [:], "FILE: the file does not contain a JSON5 object"),
            ("{ port: ", [:], [:], "FILE: the file is not valid JSON5"),
            ("{ port: 1,\n courier: {}, 'port': 2 }", [:], [:], "FILE: line 2: the member port occurs twice"),
            (
                nil, ["LATCHKEY_PROT": "1"], [:],
                "LATCHKEY_PROT (LATCHKEY_PROT): unknown setting; did you mean LATCHKEY_PORT?"
            ),
            (
                nil, ["LATCHKEY_PORT": "70000"], [:],
                #"port (LATCHKEY_PORT): "70000" is not a whole number from 0 to 65535"#
            ),
            (
                nil, ["LATCHKEY_LIMITS_CODES_PER_PHONE": "5"], [:],
                #"limits.codes_per_phone (LATCHKEY_LIMITS_CODES_PER_PHONE): "5" is not a rate such as 5/1h"#
            ),
            (
                nil, ["LATCHKEY_ADMIN_TOKEN": "s3cr3t-s3cr3t-16\u{0}t"], [:],
                "admin.token (LATCHKEY_ADMIN_TOKEN): contains a NUL byte"
            ),
            (
                nil, ["LATCHKEY_COURIER_BODY": #"{"a":["\u0000{{code}}"]}"#], [:],
                "courier.body (LATCHKEY_COURIER_BODY): contains a NUL byte"
            ),
            (nil, [:], ["port": "-1"], #"port (--port): "-1" is not a whole number from 0 to 65535"#),
            (nil, [:], ["prot": "1"], "prot (prot): unknown setting; did you mean port?"),
            (
                nil, [:], ["flows.lifespan": "10"],
                #"flows.lifespan (--flows-lifespan): "10" is not a duration from 1s to 1d, such as 30s, 10m, 12h or 90d"#
            ),
            (
                nil, [:], ["log.level": "loud"],
                #"log.level (--log-level): "loud" is not one of error, warning, info, debug, trace"#
            ),
            (
                nil, [:], ["admin.token": "s3cr3t"],
                "admin.token (--admin-token-file): a secret cannot be passed as a flag, because other users can see it; use a file or an environment variable"
            ),
            ("{ admin: { token: 7531 } }", [:], [:], "admin.token (FILE): is not a string"),
            (
                nil, [:], ["admin.token_file": "/nonexistent"],
                "admin.token_file (admin.token_file): the file /nonexistent cannot be read"
            ),
            (
                nil, [:], ["host": "[::1]"],
                #"host (--host): "[::1]" must be written without brackets: ::1"#
            ),
            (
                nil, [:], ["admin.host": "127.0.0.1:4434"],
                #"admin.host (--admin-host): "127.0.0.1:4434" is not an IP address or a host name"#
            ),
            (
                nil, ["LATCHKEY_ADMIN_HOST": "0.0.0.0", "LATCHKEY_ADMIN_OPEN": "true"], [:],
                "admin.open (LATCHKEY_ADMIN_OPEN): requires admin.host to be a loopback address"
            ),
            (
                nil, ["LATCHKEY_ADMIN_HOST": "127.0.0.1.example.com"], ["admin.open": "true"],
                "admin.open (--admin-open): requires admin.host to be a loopback address"
            ),
            (
                nil, ["LATCHKEY_ADMIN_TOKEN": "fifteen-bytes-x"], [:],
                "admin.token (LATCHKEY_ADMIN_TOKEN): has fewer than 16 bytes; generate one with openssl rand -hex 32"
            ),
            (
                nil, ["LATCHKEY_COURIER_KIND": "http"], [:],
                "courier.kind (LATCHKEY_COURIER_KIND): http requires courier.url"
            ),
            (
                nil, ["LATCHKEY_BASE_PATH": "a"], [:],
                "base_path (LATCHKEY_BASE_PATH): must be empty, or a path such as /a that starts but doesn't end with a slash, without empty segments or characters that have to be encoded"
            ),
            (
                nil, ["LATCHKEY_ADMIN_PORT": "4433"], [:],
                "admin.port (LATCHKEY_ADMIN_PORT): must differ from port"
            ),
        ]

    @Test(arguments: wrong)
    func `The error for an invalid value contains its key and source`(
        file: String?,
        environment: [String: String],
        flags: [String: String],
        problem: String
    ) throws {
        let folder = TemporaryFolder()
        let path = try file.map { try folder.write($0) }

        let error = #expect(throws: ConfigurationError.self) {
            try ServerConfiguration.load(file: path, environment: environment, flags: flags)
        }

        #expect(error?.description == problem.replacingFile(with: path))
    }

    @Test(arguments: [
        // Port 0 selects a free port, so the two ports are different.
        ["port": "0", "admin.port": "0"],
        ["host": "127.0.0.2", "port": "4434", "admin.port": "4434"],
        // If the maximum is zero, waiting is disabled, so `limits.first_wait` doesn't matter.
        ["limits.longest_wait": "0s"],
        ["limits.first_wait": "10m", "limits.longest_wait": "10m"],
    ])
    func `Consistent settings are accepted`(flags: [String: String]) {
        #expect(throws: Never.self) { try ServerConfiguration.load(flags: flags) }
    }

    @Test(arguments: [
        (["port": "4434", "admin.port": "4434"], "admin.port"),
        (["limits.first_wait": "11m", "limits.longest_wait": "10m"], "limits.first_wait"),
    ])
    func `Contradictory settings are reported`(flags: [String: String], key: String) {
        let error = #expect(throws: ConfigurationError.self) { try ServerConfiguration.load(flags: flags) }
        #expect(error?.problems.map(\.key) == [key])
    }

    @Test(arguments: ["LATCHKEY_CONFIG", "LATCHKEY_ADMIN_URL"])
    func `Variables for the command line are not settings`(name: String) {
        #expect(throws: Never.self) { try ServerConfiguration.load(environment: [name: "x"]) }
    }

    @Test func `All errors are reported together`() {
        let error = #expect(throws: ConfigurationError.self) {
            try ServerConfiguration.load(environment: ["LATCHKEY_PORT": "x", "LATCHKEY_HOST": ""])
        }

        #expect(error?.problems.map(\.key) == ["host", "port"])
    }

    @Test func `A secret is read from a file without the trailing line break`() throws {
        let folder = TemporaryFolder()
        let secret = try folder.write("s3cr3t-s3cr3t-16\n", mode: 0o640)

        for configuration in [
            try ServerConfiguration.load(environment: ["LATCHKEY_ADMIN_TOKEN_FILE": secret]),
            try ServerConfiguration.load(flags: ["admin.token_file": secret]),
            try ServerConfiguration.load(
                file: try folder.write("{ admin: { token_file: '\(secret)' } }", as: "c")
            ),
        ] {
            #expect(configuration.admin.token == Secret("s3cr3t-s3cr3t-16"))
        }
    }

    @Test(arguments: [0o604, 0o602, 0o644])
    func `An admin token file that other users can read or write is rejected`(mode: Int) throws {
        let folder = TemporaryFolder()
        let secret = try folder.write("s3cr3t-s3cr3t-16\n", mode: mode)

        let error = #expect(throws: ConfigurationError.self) {
            try ServerConfiguration.load(environment: ["LATCHKEY_ADMIN_TOKEN_FILE": secret])
        }

        #expect(error?.description.contains("other users can read or write the file \(secret)") == true)
    }

    @Test func `Loading a printed configuration results in the same configuration`() throws {
        let folder = TemporaryFolder()
        let environment = [
            "LATCHKEY_PORT": "1", "LATCHKEY_TRUSTED_PROXIES": "::1", "LATCHKEY_DATA": "/d",
            // This setting is in a nested group.
            "LATCHKEY_COURIER_TIMEOUT": "7s", "LATCHKEY_COURIER_MAIL_TIMEOUT": "8s",
        ]
        let configuration = try ServerConfiguration.load(environment: environment)

        let again = try ServerConfiguration.load(file: try folder.write(configuration.text))

        #expect(again.json == configuration.json)
        for key in ServerConfiguration.settings { #expect(configuration.text.contains(key.summary)) }
        #expect(configuration.text.contains("port: 1,  // from LATCHKEY_PORT"))
    }

    @Test(arguments: [
        (["XDG_DATA_HOME": "/x", "HOME": "/h"], "/x/latchkey/server"),
        (["HOME": "/h"], "/h/.local/share/latchkey/server"),
        (["XDG_DATA_HOME": "x", "HOME": "/h"], "/h/.local/share/latchkey/server"),
        // There is no default folder, and the working folder isn't a substitute.
        ([:], ""), (["HOME": "h"], ""),
    ])
    func `Data is stored in the system data folder`(environment: [String: String], folder: String) throws {
        #expect(try ServerConfiguration.load(environment: environment).data == folder)
    }
}

extension String {
    fileprivate func replacingFile(with path: String?) -> String {
        guard let path, let range = range(of: "FILE") else { return self }
        return replacingCharacters(in: range, with: path)
    }
}
