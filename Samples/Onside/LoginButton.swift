/// A stand-in for the app's button, such as a `UIButton`.
@MainActor
package final class LoginButton {
    package var isHidden = false
}
