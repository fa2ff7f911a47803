public import LatchkeyTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Asks the user on a terminal to open a page in a browser.
///
/// Over SSH, the browser on the user's computer can't reach the listener of a ``LoopbackBrowser``, so the user is also
/// shown the command that forwards its port.
public struct TerminalBrowser: Sendable {
    private let terminal: any Terminal
    private let text: String
    private let forwardingText: String
    private let connection: String?

    /// Creates a way to open pages.
    ///
    /// - Parameters:
    ///   - terminal: The user's terminal.
    ///   - text: The text above the address.
    ///   - forwardingText: The text above the command that forwards the port.
    ///   - environment: The environment variables, or `nil` for those of this process. `SSH_CONNECTION` is read.
    public init(
        _ terminal: any Terminal,
        text: String = "Open this page in a browser:",
        forwardingText: String = "If the browser runs on another computer, run this command there first:",
        environment: [String: String]? = nil
    ) {
        self.terminal = terminal
        self.text = text
        self.forwardingText = forwardingText
        connection = (environment ?? ProcessInfo.processInfo.environment)["SSH_CONNECTION"]
    }

    /// Shows the address of a page.
    public func open(_ page: BrowserPage) {
        if let command = forwarding(page) {
            terminal.write(forwardingText)
            terminal.write(command)
        }
        terminal.write(text)
        terminal.write(page.address)
    }

    /// Returns the command that forwards the port to which the page leads, or `nil` if there is no need for it.
    private func forwarding(_ page: BrowserPage) -> String? {
        guard let connection, let port = page.returnPort, let authority = page.returnAuthority else {
            return nil
        }
        // The variable contains the client's address and port, and the server's.
        let parts = connection.split(separator: " ")
        var (host, option) = ("<host>", "")
        if parts.count == 4, Self.isAddress(parts[2]), let own = UInt16(parts[3]) {
            host = String(parts[2])
            option = own == 22 ? "" : "-p \(own) "
        }
        return "ssh -L \(port):\(authority) \(option)\(host)"
    }

    private static func isAddress(_ text: Substring) -> Bool {
        text.contains { $0 == "." || $0 == ":" }
            && text.allSatisfy { $0.isASCII && $0.isHexDigit || $0 == "." || $0 == ":" }
    }
}
