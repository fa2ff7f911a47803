// A type that differs from the one in Apple's declaration.
import Foundation

func limit(_ request: inout URLRequest) {
    request.timeoutInterval = "15"  // fault: cannot assign value of type 'String' to type 'TimeInterval'
}
