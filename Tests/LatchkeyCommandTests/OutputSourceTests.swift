import Foundation
import Testing

/// Checks the source code, because a single `print` would bypass the filter for everything that is printed.
@Suite struct `Writes to the terminal` {
    /// The only files that may write to a terminal.
    ///
    /// The files of the package write only `TerminalText`. This type isn't public, so the examples filter their
    /// output themselves.
    private static let writers: Set<String> = [
        "Sources/LatchkeyServerKit/Log/StandardStream.swift", "Sources/LatchkeyLinux/SystemTerminal.swift",
        "Examples/ExampleDemo/DemoTerminal.swift",
        "Examples/StoreApp/Sources/StoreAppCommand/StandardStreams.swift",
    ]

    /// Reports a programming error of the app, with a text of this package, and samples that print a number
    /// or a region code, to which the SDK has parsed the server's response.
    private static let exceptions: Set<String> = [
        "Sources/OnsideKit/Onside.swift", "Samples/Onside/AccountScreen.swift",
        "Samples/Onside/SessionObserver.swift",
    ]

    private static let forbidden = [
        #"(^|[^.\w`])(print|debugPrint|dump|puts|fputs|fputc|putchar|putc|printf|fprintf|vprintf|dprintf)\s*\("#,
        #"(^|[^.\w`])(fwrite|perror|syslog|NSLog)\s*\("#, #"(^|[^.\w])write\s*\(\s*[12]\s*,"#,
        #"FileHandle\s*\.\s*standard(Output|Error)"#, #"STD(OUT|ERR)_FILENO"#, #"(^|\W)std(out|err)(\W|$)"#,
        #"/dev/(tty|std|fd)"#, #"(Glibc|Darwin|Musl)\.write"#,
    ]

    /// Returns the lines that write to a terminal, without comments.
    private static func violations(in source: String) throws -> [String] {
        let patterns = try forbidden.map { try Regex($0) }
        // Regular expressions are slow, so only look at lines that can match.
        let words = [
            "rint", "dump", "put", "write", "perror", "syslog", "Log", "standard", "STD", "std", "/dev/",
        ]
        return source.split(separator: "\n").map { line in
            line.firstRange(of: "//").map { String(line[..<$0.lowerBound]) } ?? String(line)
        }.filter { line in words.contains { line.contains($0) } && patterns.contains { line.contains($0) } }
    }

    @Test(arguments: [
        "print(name)", "    print (name)", "debugPrint(name)", "fputs(name, stdout)", "puts(name)",
        "FileHandle.standardOutput.write(data)", "FileHandle.standardError.write(data)", "write(1, name, 3)",
        "Glibc.write(descriptor, name, 3)", "let output = STDERR_FILENO", "fopen(\"/dev/tty\", \"w\")",
        "open(\"/dev/stdout\", O_WRONLY)", "if failed { print(error) }", "NSLog(\"%@\", name)",
        "perror(name)",
    ])
    func `Every way to write to a terminal is recognized`(line: String) throws {
        #expect(try Self.violations(in: "let a = 1\n\(line)\n").count == 1)
    }

    @Test(arguments: [
        "console.write(name)", "// print(name)", "/// case .signedIn: print(session)",
        "log.write(.info, \"a\")",
        "writer.print(name)", "func fingerprint(of key: Key)", "blueprint(a)", "write(10)",
    ])
    func `Other code is allowed`(line: String) throws {
        #expect(try Self.violations(in: line) == [])
    }

    @Test func `Only the filtering writers write to a terminal`() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        var checked: [String: Int] = [:]
        for folder in ["Sources", "Examples", "Samples"] {
            let root = package.appending(path: folder)
            let files = try #require(FileManager.default.enumerator(atPath: root.path))
            for case let file as String in files where file.hasSuffix(".swift") {
                let source = try String(contentsOf: root.appending(path: file), encoding: .utf8)
                checked[folder, default: 0] += 1
                let (path, found) = ("\(folder)/\(file)", try Self.violations(in: source))
                if Self.writers.contains(path) {
                    #expect(!found.isEmpty, "\(path) no longer writes to a terminal")
                } else if !Self.exceptions.contains(path) {
                    #expect(found == [], "\(path)")
                }
            }
        }
        #expect(checked["Sources", default: 0] > 500)
        #expect(checked["Examples", default: 0] > 5)
        #expect(checked["Samples", default: 0] > 5)
    }
}
