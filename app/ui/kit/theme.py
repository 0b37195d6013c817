"""Colours by role, fonts, sizes and icons: one look for the whole window, light or dark."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from weakref import WeakKeyDictionary

from PySide6.QtCore import QByteArray, QObject, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QGuiApplication,
    QIcon,
    QIconEngine,
    QPainter,
    QPalette,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QLayout, QProgressBar, QStyle, QWidget
from shiboken6 import isValid

from app.core.errors import SpanlightError
from app.core.message import Message

CHOICES = ("system", "light", "dark")
# The family of each use of type, its size as a multiple of the window's base size, and its weight.
_TYPE: dict[str, tuple[str, float, QFont.Weight]] = {
    "tag": ("sans", 0.66, QFont.Weight.DemiBold),
    "ui": ("sans", 1.0, QFont.Weight.Normal),
    "small": ("sans", 0.9, QFont.Weight.Normal),
    "small_strong": ("sans", 0.9, QFont.Weight.DemiBold),
    "strong": ("sans", 1.0, QFont.Weight.DemiBold),
    "code": ("mono", 0.855, QFont.Weight.Normal),
    "title": ("sans", 1.45, QFont.Weight.DemiBold),
    "winner": ("serif", 2.0, QFont.Weight.Bold),
    "answer": ("serif", 1.5, QFont.Weight.Bold),
    "quote": ("serif", 1.08, QFont.Weight.Normal),
    "document": ("serif", 1.15, QFont.Weight.Normal),
}
_SERIF = (
    "Charter", "Charis SIL", "Source Serif 4", "Georgia", "Cambria", "Noto Serif", "Liberation Serif", "DejaVu Serif",
)  # fmt: skip
_SANS = ("Inter", "Cantarell", "Ubuntu", "Noto Sans", "Segoe UI", "DejaVu Sans")
# What fontconfig and Qt without a screen report where the desktop names no font.
_GENERIC = {"sans serif", "sans-serif", "sans", "dejavu sans", "helvetica", "arial", ""}
_LEAST_PIXELS = 14.0
# Smaller icons are drawn at this size and scaled down: drawn directly, thin lines would fall between pixels.
_LEAST_ICON = 16
# Qt takes ownership of a clone, and nothing in Python would keep it alive.
_clones: list[QIconEngine] = []
# The colours of the theme in force, by role.
_colours: dict[str, str] = {}


@cache
def line_icon(svg: str, role: str, active_role: str) -> QIcon:
    """Return the icon of an SVG text in the colours of two roles: one object for the lifetime of the process.

    The icon must never be part of a cycle that Python's collector frees: its engine would be freed first, and the icon
    would access freed memory.
    """
    return QIcon(LineIcon(svg, role, active_role))


class LineIcon(QIconEngine):
    """A line icon that is drawn when first painted, at the requested size and in the colours of the theme in force.

    Drawing every icon of a page in all modes and three sizes beforehand took 40 ms of the start.
    """

    def __init__(self, svg: str, role: str, active_role: str) -> None:
        super().__init__()
        self._svg = svg
        self._roles = role, active_role
        self._drawn: dict[tuple[int, int, str], QPixmap] = {}

    def clone(self) -> QIconEngine:
        clone = LineIcon(self._svg, *self._roles)
        _clones.append(clone)
        return clone

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        role, active_role = self._roles
        if mode == QIcon.Mode.Disabled:
            role = "ink_disabled"
        elif state == QIcon.State.On and active_role:
            role = active_role
        colour = _colours[role]
        key = (size.width(), size.height(), colour)
        if key not in self._drawn:
            renderer = QSvgRenderer(QByteArray(self._svg.replace("currentColor", colour).encode()))
            large = _render(renderer, max(_LEAST_ICON, size.width()))
            smooth = Qt.TransformationMode.SmoothTransformation
            self._drawn[key] = large.scaledToWidth(size.width(), smooth)
        return self._drawn[key]

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        ratio = painter.device().devicePixelRatio()
        painter.drawPixmap(rect, self.pixmap(rect.size() * ratio, mode, state))


def _render(renderer: QSvgRenderer, size: int) -> QPixmap:
    """Render an SVG as a square of `size` pixels a side."""
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap


def read_roles(path: Path) -> dict[str, str]:
    """Read a theme's TOML file, whose roles name its base colours; returns the colour of each role.

    Raises ValueError when a role names a base colour that does not exist, SpanlightError if the file is missing.
    """
    values = tomllib.loads(_read(path))
    base = values["base"]
    missing = sorted(role for role, name in values["roles"].items() if name not in base)
    if missing:
        raise ValueError(f"{path.name}: roles without a base colour: {', '.join(missing)}")
    return {role: base[name] for role, name in values["roles"].items()}


# Widgets whose fonts a desktop theme such as GNOME's may set, which the application's font does not replace.
_DESKTOP_STYLED = (
    "QAbstractItemView", "QCheckBox", "QComboLineEdit", "QComboMenuItem", "QHeaderView", "QLabel", "QListView", "QMenu",
    "QMenuBar", "QMenuItem", "QMessageBox", "QPushButton", "QRadioButton", "QStatusBar", "QTipLabel", "QToolButton",
)  # fmt: skip


class Theme(QObject):
    """The look of the window: colours by role, fonts by use, lengths in steps, icons in the theme's ink.

    A widget states its look once: `mark(label, type="small", ink="quiet")` for its font and colour, `space(layout, 2)`
    or `in_steps(widget.setMinimumWidth, 50)` for lengths, `icon(...)` for an icon. The application's style sheet, the
    lengths and the icons then follow every change. `changed` is for the few widgets that compute something from a font
    or a length: it is sent once a change of the colours or the text size has been applied.

    `resources` is the folder that holds `themes/` and `icons/`. `wanted` is the user's choice: `system`, `light` or
    `dark`; `still` is whether the person turned all motion off.
    """

    changed = Signal()

    def __init__(self, resources: Path) -> None:
        super().__init__()
        self._resources = resources
        self._roles = {name: read_roles(resources / "themes" / f"{name}.toml") for name in ("light", "dark")}
        self._sheet = _read(resources / "themes" / "style.qss")
        self._icon_sources: dict[str, str] = {}
        self.wanted = "system"
        self._scale = 1.0
        self._document_scale = 1.0
        self._applied: tuple[str, float] | None = None
        self.still = False
        self._lengths: WeakKeyDictionary[QObject, dict[str, tuple[float, ...]]] = WeakKeyDictionary()
        self._base_font = _base_font()
        # Needed some 1,300 times before the first paint: querying the font each time took 65 ms.
        self._usual_pixels = max(_LEAST_PIXELS, float(QFontInfo(self._base_font).pixelSize()))
        self._serif = _first_installed(_SERIF, "serif")
        _colours.update(self._roles[self.name])
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)

    @property
    def name(self) -> str:
        """The theme in force: `light` or `dark`."""
        if self.wanted != "system":
            return self.wanted
        dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return "dark" if dark else "light"

    @property
    def moves(self) -> bool:
        """Whether animations are allowed by both the person and the system."""
        hint = QStyle.StyleHint.SH_Widget_Animation_Duration
        return not self.still and QApplication.style().styleHint(hint) > 0

    def choose(self, wanted: str, scale: float = 1.0) -> None:
        """Choose a theme and a text size (1.0 is the default), and apply both to the application."""
        self.wanted = wanted if wanted in CHOICES else "system"
        self._scale = min(2.0, max(0.75, scale))
        hints = QGuiApplication.styleHints()
        if self.wanted == "system":
            hints.unsetColorScheme()
        else:
            hints.setColorScheme(Qt.ColorScheme.Dark if self.wanted == "dark" else Qt.ColorScheme.Light)
        self._apply()

    def scale_documents(self, scale: float) -> None:
        """Set the text size of documents relative to the window's (1.0 is the default)."""
        scale = min(3.0, max(0.5, scale))
        if scale != self._document_scale:
            self._document_scale = scale
            self.changed.emit()

    def refresh(self) -> None:
        """Have every widget take its fonts and icons again.

        With a style sheet in force Qt drops the font of a polished widget when its page gets a parent.
        """
        self.changed.emit()

    def colour(self, role: str) -> QColor:
        """The colour of a role. Raises KeyError for a role that the theme does not have."""
        return QColor(self._roles[self.name][role])

    def font(self, use: str = "ui") -> QFont:
        """The font of a use: tag, ui, small, small_strong, strong, code, title, winner, answer, quote or document."""
        family, factor, weight = _TYPE[use]
        font = QFont(self._base_font)
        scale = self._document_scale if use == "document" else 1.0
        font.setPixelSize(round(self._base_pixels() * factor * scale))
        font.setWeight(weight)
        if family == "serif":
            font.setFamilies([self._serif, *self._base_font.families()])
        elif family == "mono":
            font.setFamilies([QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()])
        return font

    def step(self, steps: float = 1) -> int:
        """Steps of the 4-pixel rhythm in pixels; a step grows with the text."""
        return round(steps * self._unit())

    def in_steps(self, setter: Callable[..., object], *steps: float) -> None:
        """Call the setter of a widget or layout with lengths in steps, now and whenever the text size changes.

        `setter` is a bound method such as `layout.setSpacing`; a later call for the same setter replaces the lengths.
        """
        target = setter.__self__  # type: ignore[attr-defined]
        self._lengths.setdefault(target, {})[setter.__name__] = steps
        setter(*map(self.step, steps))

    def space(
        self, layout: QLayout, spacing: float, margins: tuple[float, float, float, float] = (0, 0, 0, 0)
    ) -> None:
        """Set a layout's spacing and margins (left, top, right, bottom) in steps, at every text size."""
        self.in_steps(layout.setSpacing, spacing)
        self.in_steps(layout.setContentsMargins, *margins)

    def show_busy(self, bar: QProgressBar) -> None:
        """Show work of unknown length in a bar; the bar stays empty where animations are not allowed."""
        bar.setRange(0, 0 if self.moves else 1)
        bar.setValue(0)

    def icon(self, name: str, role: str = "ink_quiet", active_role: str = "") -> QIcon:
        """The line icon `name` in the colour of a role, or of `active_role` while it is switched on."""
        return line_icon(self._svg(name), role, active_role)

    def app_icon(self) -> QIcon:
        """The application's own icon, in its own colours."""
        icon = QIcon()
        renderer = QSvgRenderer(QByteArray(self._svg("spanlight").encode()))
        for size in (16, 24, 32, 48, 64, 128, 256):
            icon.addPixmap(_render(renderer, size))
        return icon

    def stylesheet(self) -> str:
        """The application's style sheet with this theme's colours and lengths filled in."""
        icons = (self._resources / "icons").as_posix()
        roles = self._roles[self.name]
        sheet = self._sheet.replace("@icons", icons)
        sheet = re.sub(r"@([a-z_]+)", lambda match: roles[match[1]], sheet)
        sheet = re.sub(
            r"(?<=[ :-])(\d+(?:\.\d+)?)u\b", lambda match: f"{self.step(float(match[1]))}px", sheet
        )
        return sheet + "\n".join(
            f'*[type="{use}"] {{ {self._font_rule(use)} }}' for use in _TYPE if use != "ui"
        )

    def _font_rule(self, use: str) -> str:
        font = self.font(use)
        families = ", ".join(f'"{family}"' for family in font.families())
        family = f" font-family: {families};" if _TYPE[use][0] != "sans" else ""
        return f"font-size: {font.pixelSize()}px; font-weight: {font.weight().value};{family}"

    def palette(self) -> QPalette:
        """The application's palette in this theme's colours."""
        role = QPalette.ColorRole
        palette = QPalette()
        for target, name in (
            (role.Window, "desk"), (role.WindowText, "ink"), (role.Base, "field"), (role.Text, "ink"),
            (role.AlternateBase, "desk"), (role.Button, "raised"), (role.ButtonText, "ink"),
            (role.BrightText, "fault"), (role.Highlight, "selection"), (role.HighlightedText, "selection_ink"),
            (role.ToolTipBase, "tip"), (role.ToolTipText, "tip_ink"), (role.PlaceholderText, "ink_quiet"),
            (role.Link, "accent"), (role.LinkVisited, "accent"), (role.Accent, "accent"),
            (role.Light, "raised"), (role.Midlight, "hover"), (role.Mid, "line"), (role.Dark, "line_strong"),
            (role.Shadow, "line_strong"),
        ):  # fmt: skip
            palette.setColor(target, self.colour(name))
        for target in (role.WindowText, role.Text, role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, target, self.colour("ink_disabled"))
        return palette

    @Slot()
    def _system_changed(self) -> None:
        if self._applied is not None and self._applied != (self.name, self._scale):
            self._apply()

    def _apply(self) -> None:
        app = QApplication.instance()
        if not isinstance(app, QApplication) or self._applied == (self.name, self._scale):
            return
        self._applied = (self.name, self._scale)
        _colours.update(self._roles[self.name])
        sheet = self.stylesheet()
        if app.styleSheet() != sheet:  # where another Theme set it, Qt would polish every widget again
            if not app.styleSheet():  # each time takes as long as polishing every widget
                app.setStyle("Fusion")
            font = self.font("ui")
            app.setFont(font)
            app.setPalette(self.palette())
            app.setStyleSheet(sheet)  # this restores the desktop's fonts
            for kind in _DESKTOP_STYLED:  # PySide takes no bytes here, as its stubs want it
                if app.font(kind) != font:  # type: ignore[call-overload]
                    app.setFont(font, kind)  # type: ignore[arg-type]
        for target, lengths in list(self._lengths.items()):
            if isValid(target):
                for setter, steps in lengths.items():
                    getattr(target, setter)(*map(self.step, steps))
        self.changed.emit()

    def _base_pixels(self) -> float:
        return self._usual_pixels * self._scale

    def _unit(self) -> float:
        # Four pixels at 14. Not from the height of a line: among fonts of the same size it differs by a third.
        return max(3.0, round(self._base_pixels() * 0.547) / 2)

    def _svg(self, name: str) -> str:
        if name not in self._icon_sources:
            self._icon_sources[name] = _read(self._resources / "icons" / f"{name}.svg")
        return self._icon_sources[name]


def mark(*widgets: QWidget, **properties: str) -> None:
    """Set the properties that the style sheet selects on: type, ink, kind, bare, ...

    `type` is a use of `Theme.font`. A widget has its look once it has been polished.
    """
    for widget in widgets:
        for name, value in properties.items():
            widget.setProperty(name, value)
        if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
            widget.style().unpolish(widget)
            widget.style().polish(widget)


def _read(path: Path) -> str:
    """Read a resource's text; raises SpanlightError if it is missing."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as fault:
        from app.core.system_libraries import repair_hint

        raise SpanlightError(
            Message("Spanlight is not whole: {path} is missing.", path=str(path)), repair_hint()
        ) from fault


def _base_font() -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    if QFontInfo(font).family().lower() in _GENERIC or font.family().lower() in _GENERIC:
        font.setFamilies([_first_installed(_SANS, font.family())])
    else:
        font.setFamilies([font.family()])
    return font


def _first_installed(wanted: tuple[str, ...], otherwise: str) -> str:
    installed = set(QFontDatabase.families())
    return next((family for family in wanted if family in installed), otherwise)
