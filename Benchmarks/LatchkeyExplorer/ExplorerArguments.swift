import Foundation
import LatchkeyTestKit

/// What the explorer was told to do.
struct ExplorerArguments {
    static let help = """
        Searches all that can happen to the session machine within bounds, for what must never happen.

        usage: swift run -c release LatchkeyExplorer [options]
               swift run LatchkeyExplorer page

          --space N         one of the spaces that scripts/check --deep searches; repeatable, all when none is named
          --bounds BOUNDS   a space of your own; what is not named does not happen
          --mutant N        one of the mutants that the tests find, in its own space, with its trace
          --workers N       threads; as many as the machine has cores. What is found does not depend on it.
          --limit N         gives up after so many visits (exit code 3)
          --seconds N       gives up after so many seconds (exit code 3)
          --list            lists the spaces, the mutants, and what bounds can name
          page              prints Documentation/session-core.md, which scripts/document writes; with --bounds, what the
                            reducer comes to within others
          --help

        A number in bounds is how often something may happen, 0 to 14, or "any".

        examples:
          swift run -c release LatchkeyExplorer --list
          swift run -c release LatchkeyExplorer --space 2 --workers 4
          swift run -c release LatchkeyExplorer --mutant 3
          swift run -c release LatchkeyExplorer --bounds processes=2,callers=2,refreshes=2,crashes=1,losses=any

        exit code: 0 no violation in all worlds, 1 a violation (the shortest trace is printed), 2 wrong arguments,
        3 given up before the end.
        """

    /// Wrong arguments, told to whoever gave them.
    struct Wrong: Error, CustomStringConvertible {
        let description: String
    }

    enum Task {
        case search, page, list, help
    }

    var task = Task.search
    var spaces: [ExplorerBounds] = []
    var mutant: SessionMutant?
    var workers = ProcessInfo.processInfo.activeProcessorCount
    var limit = Int.max
    var seconds = Int.max

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        if rest.first == "page" {
            rest.removeFirst()
            task = .page
        }
        while let name = rest.popFirst() {
            switch name {
            case "--help", "-h": task = .help
            case "--list": task = .list
            case "--space":
                let number = try Self.number(name, &rest)
                guard ExplorerSpaces.all.indices.contains(number - 1) else {
                    throw Wrong(description: "--space: 1 to \(ExplorerSpaces.all.count)")
                }
                spaces.append(try ExplorerBounds(ExplorerSpaces.all[number - 1].bounds))
            case "--mutant":
                let number = try Self.number(name, &rest)
                guard SessionMutant.all.indices.contains(number - 1) else {
                    throw Wrong(description: "--mutant: 1 to \(SessionMutant.all.count)")
                }
                mutant = SessionMutant.all[number - 1]
            case "--bounds": spaces.append(try ExplorerBounds(Self.value(name, &rest)))
            case "--workers": workers = try Self.number(name, &rest)
            case "--limit": limit = try Self.number(name, &rest)
            case "--seconds": seconds = try Self.number(name, &rest)
            default: throw Wrong(description: "\(name): not known; --help tells what is")
            }
        }
        if let mutant, spaces.isEmpty { spaces = [mutant.space] }
        if spaces.isEmpty {
            let texts = task == .page ? SessionCorePage.spaces : ExplorerSpaces.all.map(\.bounds)
            spaces = try texts.map { try ExplorerBounds($0) }
        }
    }

    private static func value(_ name: String, _ rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst() else { throw Wrong(description: "\(name): a value is missing") }
        return value
    }

    private static func number(_ name: String, _ rest: inout ArraySlice<String>) throws -> Int {
        let text = try value(name, &rest)
        guard let number = Int(text), number > 0 else {
            throw Wrong(description: "\(name) \(text): a positive number is expected")
        }
        return number
    }
}
