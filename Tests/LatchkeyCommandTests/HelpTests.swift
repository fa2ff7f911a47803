import LatchkeyServer
import LatchkeyServerKit
import Testing

@testable import LatchkeyCommand

@Suite struct `Command-line help` {
    static let commands = Command.subcommands.map(\.syntax)

    @Test(arguments: commands.map(\.name))
    func `The help for a command describes every flag and shows an example`(name: String) throws {
        let syntax = try #require(Self.commands.first { $0.name == name })

        let page = HelpText.page(of: syntax)
        let words = page.split(whereSeparator: \.isWhitespace).joined(separator: " ")

        #expect(page.contains("latchkey \(name) – \(syntax.summary)"))
        for option in syntax.options {
            #expect(
                words.contains("\(option.flag)\(option.placeholder.map { " \($0)" } ?? "") \(option.summary)")
            )
        }
        let operands = syntax.operands.map { " \($0)" }.joined()
        #expect(
            page.contains("\nUsage: latchkey \(name)\(operands)\(syntax.options.isEmpty ? "" : " [flags]")\n")
        )
        #expect(!syntax.examples.isEmpty)
        for example in syntax.examples {
            #expect(page.contains("latchkey \(example.line)"))
        }
        #expect(page.split(separator: "\n").allSatisfy { $0.count <= 110 })
    }

    @Test(arguments: commands.map(\.name))
    func `The parser accepts every example in the help`(name: String) throws {
        let syntax = try #require(Self.commands.first { $0.name == name })

        for example in syntax.examples {
            // The shell interprets the rest of the line.
            let words = example.line.split(separator: " ").prefix { $0 != ">" && $0 != "<" && $0 != "|" }.map(
                String.init
            )
            let own = words.dropFirst(name.split(separator: " ").count)
            #expect(words.starts(with: name.split(separator: " ").map(String.init)))
            #expect(throws: Never.self) { try Arguments(Array(own), for: syntax) }
        }
    }

    @Test func `The help lists every command and every exit code`() {
        let page = HelpText.overview(of: Self.commands, exitCodes: ExitCode.allCases)

        for command in Self.commands { #expect(page.contains("  \(command.name) ")) }
        for code in ExitCode.allCases { #expect(page.contains("  \(code.rawValue) ")) }
    }

    @Test func `The help for serve lists every setting`() {
        let page = HelpText.page(of: ServeCommand().syntax)

        for key in ServerConfiguration.settings { #expect(page.contains("  \(key.flag) ")) }
    }

    @Test(arguments: commands.map(\.name).filter { $0 != "serve" })
    func `The help for other commands leaves out the server's settings`(name: String) throws {
        let syntax = try #require(Self.commands.first { $0.name == name })

        let page = HelpText.page(of: syntax)

        #expect(page.split(separator: "\n").count < 65, "\(page)")
        #expect(!page.contains("--passwords-memory-kib"))
        #expect(page.contains("latchkey serve --help") == syntax.takesSettings)
        if syntax.takesSettings {
            let arguments = try Arguments(syntax.operands + ["--passwords-memory-kib", "8"], for: syntax)
            #expect(arguments["passwords-memory-kib"] == "8")
        }
    }

    @Test(arguments: [
        ("identity create", ["--schema", "--email", "--password-stdin", "--admin-url", "--data"]),
        ("identity import", ["--admin-url", "--admin-token-file", "--config"]),
        ("sessions revoke", ["--all", "--json", "--database"]),
        ("config check", ["--config", "--data"]),
    ])
    func `The help lists the flags that each command needs`(name: String, flags: [String]) throws {
        let page = HelpText.page(of: try #require(Self.commands.first { $0.name == name }))

        for flag in flags { #expect(page.contains("\n  \(flag)")) }
    }

    @Test(arguments: commands.map(\.name))
    func `The help does not list a flag twice`(name: String) throws {
        let syntax = try #require(Self.commands.first { $0.name == name })

        #expect(
            Set((syntax.options + syntax.settings).map(\.name)).count
                == (syntax.options + syntax.settings).count
        )
    }
}
