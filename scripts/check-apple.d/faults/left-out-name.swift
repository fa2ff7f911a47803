// A declaration of Foundation that had to be left out.
import Foundation

func styled() -> AttributedString {  // fault: cannot find type 'AttributedString' in scope
    AttributedString("text")
}
