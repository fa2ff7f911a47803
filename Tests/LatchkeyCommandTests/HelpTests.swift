import LatchkeyServer
import Testing

@testable import LatchkeyCommand

@Suite struct `Help` {
    static let commands = Command.subcommands.map(\.syntax)

    @Test(arguments: commands.map(\.name))
    func `names every flag of a command with what it does, and an example`(name: String) throws {
        let syntax = try #require(Self.commands.first { $0.name == name })

        let page = HelpText.page(of: syntax)
        let words = page.split(whereSeparator: \.isWhitespace).joined(separator: " ")

        #expect(page.contains("latchkey \(name) – \(syntax.summary)"))
        for option in syntax.options {
            #expect(
                words.contains("\(option.flag)\(option.placeholder.map { " \($0)" } ?? "") \(option.summary)")
            )
        }
        #expect(!syntax.examples.isEmpty)
        for example in syntax.examples {
            #expect(page.contains("latchkey \(example.line)"))
        }
        #expect(page.split(separator: "\n").allSatisfy { $0.count <= 110 })
    }

    @Test(arguments: commands.map(\.name))
    func `has only examples that the parser takes`(name: String) throws {
        let syntax = try #require(Self.commands.first { $0.name == name })

        for example in syntax.examples {
            // What follows is for the shell.
            let words = example.line.split(separator: " ").prefix { $0 != ">" && $0 != "<" && $0 != "|" }.map(
                String.init
            )
            let own = words.dropFirst(name.split(separator: " ").count)
            #expect(words.starts(with: name.split(separator: " ").map(String.init)))
            #expect(throws: Never.self) { try Arguments(Array(own), for: syntax) }
        }
    }

    @Test func `lists every command and every exit code`() {
        let page = HelpText.overview(of: Self.commands, exitCodes: ExitCode.allCases)

        for command in Self.commands { #expect(page.contains("  \(command.name) ")) }
        for code in ExitCode.allCases { #expect(page.contains("  \(code.rawValue) ")) }
    }

    @Test func `of serve has every setting`() {
        let page = HelpText.page(of: ServeCommand().syntax)

        for key in ConfigurationKey.all { #expect(page.contains("  \(key.flag) ")) }
    }

    @Test(arguments: commands.map(\.name))
    func `has no flag twice`(name: String) throws {
        let syntax = try #require(Self.commands.first { $0.name == name })

        #expect(Set(syntax.options.map(\.name)).count == syntax.options.count)
    }
}
