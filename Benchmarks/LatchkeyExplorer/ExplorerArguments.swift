import Foundation
import LatchkeyTestKit

/// The arguments of the explorer.
struct ExplorerArguments {
    static let help = """
        Explores all states of the session machine within bounds, and checks its invariants.

        usage: swift run -c release LatchkeyExplorer [options]
               swift run LatchkeyExplorer page

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
          swift run -c release LatchkeyExplorer --bounds processes=2,callers=2,refreshes=2,crashes=1,losses=any

        exit code: 0 no violation in any state, 1 a violation (a shortest trace is printed), 2 invalid arguments,
        3 stopped before the end.
        """

    /// An error in the arguments.
    struct UsageError: Error, CustomStringConvertible {
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
                let number = try Self.number(of: name, from: &rest)
                guard ExplorerSpaces.all.indices.contains(number - 1) else {
                    throw UsageError(description: "--space: 1 to \(ExplorerSpaces.all.count)")
                }
                spaces.append(try ExplorerBounds(ExplorerSpaces.all[number - 1].bounds))
            case "--mutant":
                let number = try Self.number(of: name, from: &rest)
                guard SessionMutant.all.indices.contains(number - 1) else {
                    throw UsageError(description: "--mutant: 1 to \(SessionMutant.all.count)")
                }
                mutant = SessionMutant.all[number - 1]
            case "--bounds": spaces.append(try ExplorerBounds(Self.value(of: name, from: &rest)))
            case "--workers": workers = try Self.number(of: name, from: &rest)
            case "--limit": limit = try Self.number(of: name, from: &rest)
            case "--seconds": seconds = try Self.number(of: name, from: &rest)
            default: throw UsageError(description: "unknown argument \(name); see --help")
            }
        }
        if let mutant, spaces.isEmpty { spaces = [mutant.space] }
        if spaces.isEmpty {
            let texts = task == .page ? SessionCorePage.spaces : ExplorerSpaces.all.map(\.bounds)
            spaces = try texts.map { try ExplorerBounds($0) }
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
