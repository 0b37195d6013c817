; Spanlight's folder in the list of folders where a terminal looks for commands.
;
; The value is worked on in memory of its own size: a string of this installer ends at ${NSIS_MAX_STRLEN} characters,
; and a longer list would lose its end.

!macro PathFunctions UN
; Opens the list: $1 is the key, $2 the memory with ";LIST;", $3 the value's type. $1 is 0 where it cannot be opened.
Function ${UN}OpenPath
  ${If} $Everyone == 1
    System::Call 'advapi32::RegOpenKeyExW(p 0x80000002, w "SYSTEM\CurrentControlSet\Control\Session Manager\Environment", i 0, i 0x2001F, *p 0 r1) i .r0'
  ${Else}
    System::Call 'advapi32::RegCreateKeyExW(p 0x80000001, w "Environment", i 0, p 0, i 0, i 0x2001F, p 0, *p 0 r1, p 0) i .r0'
  ${EndIf}
  ${If} $0 <> 0
    StrCpy $1 0
    Return
  ${EndIf}
  StrCpy $3 2 ; REG_EXPAND_SZ, where there is no list yet
  StrCpy $4 0
  System::Call 'advapi32::RegQueryValueExW(p r1, w "Path", p 0, *i r3 r3, p 0, *i 0 r4) i .r0'
  IntOp $5 $4 + 4096
  System::Alloc $5
  Pop $2
  System::Call 'kernel32::lstrcatW(p r2, w ";")'
  ${If} $0 = 0
    IntPtrOp $6 $2 + 2
    System::Call 'advapi32::RegQueryValueExW(p r1, w "Path", p 0, p 0, p r6, *i r4)'
  ${EndIf}
  System::Call 'kernel32::lstrcatW(p r2, w ";")'
FunctionEnd

; $5 is the place of ";FOLDER;" in the memory, 0 where it is not there.
Function ${UN}FindInPath
  System::Call 'shlwapi::StrStrIW(p r2, w ";$INSTDIR;") p .r5'
FunctionEnd

; Writes the list without the semicolons around it, and tells the programs that are running.
Function ${UN}ClosePath
  System::Call 'kernel32::lstrlenW(p r2) i .r4'
  ${If} $4 > 2
    IntOp $6 $4 * 2
    IntOp $6 $6 - 2
    IntPtrOp $7 $2 + $6
    System::Call '*$7(&i2 0)' ; the last semicolon
    IntPtrOp $7 $2 + 2
    IntOp $6 $4 - 1 ; without both semicolons, with the end
    IntOp $6 $6 * 2
    System::Call 'advapi32::RegSetValueExW(p r1, w "Path", i 0, i r3, p r7, i r6)'
  ${Else}
    System::Call 'advapi32::RegDeleteValueW(p r1, w "Path")'
  ${EndIf}
  SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=2000
FunctionEnd

Function ${UN}FreePath
  System::Free $2
  System::Call 'advapi32::RegCloseKey(p r1)'
FunctionEnd
!macroend

!insertmacro PathFunctions ""
!insertmacro PathFunctions "un."

Function AddToPath
  Call OpenPath
  ${If} $1 P= 0
    Return
  ${EndIf}
  Call FindInPath
  ${If} $5 P= 0
    System::Call 'kernel32::lstrlenW(p r2) i .r4'
    ${If} $4 = 2 ; ";;" stands for an empty list
      IntPtrOp $7 $2 + 2
      System::Call '*$7(&i2 0)'
    ${EndIf}
    System::Call 'kernel32::lstrcatW(p r2, w "$INSTDIR;")'
    Call ClosePath
  ${EndIf}
  Call FreePath
FunctionEnd

Function un.RemoveFromPath
  Call un.OpenPath
  ${If} $1 P= 0
    Return
  ${EndIf}
  Call un.FindInPath
  ${If} $5 P<> 0
    StrLen $4 ";$INSTDIR"
    IntOp $4 $4 * 2
    IntPtrOp $6 $5 + $4
    System::Call 'kernel32::lstrlenW(p r6) i .r4'
    IntOp $4 $4 + 1
    IntOp $4 $4 * 2
    System::Call 'kernel32::RtlMoveMemory(p r5, p r6, p r4)'
    Call un.ClosePath
  ${EndIf}
  Call un.FreePath
FunctionEnd
