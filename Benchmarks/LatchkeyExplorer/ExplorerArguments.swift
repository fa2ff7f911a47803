import Foundation
import LatchkeyTestKit

/// The explorer's parsed command-line arguments.
struct ExplorerArguments {
    static let help = """
        Explores all states of a state machine within bounds, and checks its invariants.

        usage: swift run -c release LatchkeyExplorer [options]
               swift run LatchkeyExplorer page

          --machine NAME    the state machine: session (the default), access or browser
          --space N         searches one of the spaces of scripts/check --deep; repeatable; default: all
          --bounds BOUNDS   searches a custom space; steps that are not named do not occur
          --mutant N        searches the space of a mutant from the tests, and prints its trace
          --workers N       the number of threads; default: the number of cores. The result does not depend on it.
          --limit N         stops after that many visits (exit code 3)
          --seconds N       stops after that many seconds (exit code 3)
          --list            lists the spaces, the mutants and the names of the bounds
          page              prints Documentation/session-core.md, which scripts/document writes; with --bounds, shows
                            the transitions within these bounds
          --help

        A number in bounds is the maximum number of such steps, 0 to 14, or "any".

        examples:
          swift run -c release LatchkeyExplorer --list
          swift run -c release LatchkeyExplorer --space 2 --workers 4
          swift run -c release LatchkeyExplorer --mutant 3
          swift run -c release LatchkeyExplorer --machine access --space 1
          swift run -c release LatchkeyExplorer --bounds processes=2,callers=2,refreshes=2,crashes=1,losses=any

        exit code: 0 no violation in any state, 1 a violation (a shortest trace is printed), 2 invalid arguments,
        3 stopped before the end.
        """

    /// An error in the command-line arguments.
    struct UsageError: Error, CustomStringConvertible {
        let description: String
    }

    enum Task {
        case search, page, list, help
    }

    enum Machine: String, CaseIterable {
        case session, access, browser
    }

    var task = Task.search
    var machine = Machine.session
    /// The numbers of the selected spaces, starting at 1.
    var spaces: [Int] = []
    var bounds: [String] = []
    /// The number of the selected mutant, starting at 1.
    var mutant: Int?
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
            case "--machine":
                let text = try Self.value(of: name, from: &rest)
                guard let machine = Machine(rawValue: text) else {
                    let names = Machine.allCases.map(\.rawValue).joined(separator: " or ")
                    throw UsageError(description: "--machine: \(names)")
                }
                self.machine = machine
            case "--space": spaces.append(try Self.number(of: name, from: &rest))
            case "--mutant": mutant = try Self.number(of: name, from: &rest)
            case "--bounds": bounds.append(try Self.value(of: name, from: &rest))
            case "--workers": workers = try Self.number(of: name, from: &rest)
            case "--limit": limit = try Self.number(of: name, from: &rest)
            case "--seconds": seconds = try Self.number(of: name, from: &rest)
            default: throw UsageError(description: "unknown argument \(name); see --help")
            }
        }
    }

    private static func value(of name: String, from rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst() else { throw UsageError(description: "\(name) requires a value") }
        return value
    }

    private static func number(of name: String, from rest: inout ArraySlice<String>) throws -> Int {
        let text = try value(of: name, from: &rest)
        guard let number = Int(text), number > 0 else {
            throw UsageError(description: "\(name) requires a positive number, not \(text)")
        }
        return number
    }
}
