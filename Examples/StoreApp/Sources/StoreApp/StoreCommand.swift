import Foundation

/// A command line of the store.
public enum StoreCommand: Hashable, Sendable {
    /// Shows the menu.
    case menu(server: String)
    /// Shows the request with which a game has opened the store.
    case answer(url: String, server: String)
    /// Removes the app from the handlers of its scheme.
    case unregister
    /// Prints the help text.
    case help

    /// The reason why the arguments can't be used.
    public struct UsageError: Error, Hashable, CustomStringConvertible {
        /// The reason, in one line.
        public let description: String
    }

    /// The URL of the server that `latchkey serve` starts.
    static let standardServer = "http://127.0.0.1:4433"

    /// The help text.
    public static let helpText = """
        A terminal app of a game store. Games hand their logins over to it.

        usage: storeapp [SERVER]
               storeapp [--server SERVER] URL
               storeapp --unregister

        The first form shows the menu, and registers the app for \(GameStore.id): URLs.
        The second form shows the request of a game. The desktop starts it when a game opens a URL.

          --server SERVER   the URL of the identity server, \(standardServer) by default
          --unregister      remove the app from the handlers of its URLs
          --help            show this text

        examples:
          storeapp                          # uses the server on this machine
          storeapp https://id.example.com   # uses another server
        """

    /// Parses arguments.
    ///
    /// - Throws: ``UsageError``, whose text contains no URL of a request, because any program can choose it.
    public init(_ arguments: [String]) throws(UsageError) {
        var server: String?
        var operands: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                self = .help
                return
            case "--unregister":
                guard arguments.count == 1 else {
                    throw UsageError(description: "--unregister takes no arguments")
                }
                self = .unregister
                return
            case "--server":
                guard let value = rest.popFirst() else {
                    throw UsageError(description: "--server needs a URL")
                }
                server = value
            case _ where argument.hasPrefix("-"):
                throw UsageError(description: "unknown option '\(argument.singleLine)'")
            default: operands.append(argument)
            }
        }
        guard operands.count < 2 else { throw UsageError(description: "there are too many arguments") }
        switch operands.first {
        case let url? where Self.isRequest(url):
            self = .answer(url: url, server: try Self.server(server ?? Self.standardServer))
        case let other? where server == nil: self = .menu(server: try Self.server(other))
        case nil where server == nil: self = .menu(server: Self.standardServer)
        default: throw UsageError(description: "--server needs the URL of a request, too")
        }
    }

    private static func isRequest(_ text: String) -> Bool {
        text.lowercased().hasPrefix(GameStore.id + ":")
    }

    private static func server(_ text: String) throws(UsageError) -> String {
        let scheme = URL(string: text)?.scheme?.lowercased()
        guard scheme == "https" || scheme == "http" else {
            throw UsageError(description: "the server must be an https URL, such as https://id.example.com")
        }
        return text
    }
}
