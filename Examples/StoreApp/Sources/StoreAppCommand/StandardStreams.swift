import Foundation
import StoreApp

/// The standard streams, for texts that don't belong to the dialog on the terminal.
enum StandardStreams {
    /// Writes a text to standard output.
    static func show(_ text: String) {
        print(safe(text))
    }

    /// Writes an error message to standard error.
    static func complain(_ message: String) {
        FileHandle.standardError.write(Data("storeapp: \(safe(message))\n".utf8))
    }

    private static func safe(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).singleLine }
            .joined(separator: "\n")
    }
}
